/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding an embedded file. The table itself is made by scripts/embed-files.
 */
#include "view/web_assets.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

const struct web_asset *web_asset_get(const char *name)
{
	for (const struct web_asset *a = web_assets; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	log_error("this build has no %s in it", name);
	abort();
}
