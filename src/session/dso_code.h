/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What models of single functions need of the symbols module: code, its text, and source files.
 */
#ifndef ASSAY_SESSION_DSO_CODE_H
#define ASSAY_SESSION_DSO_CODE_H

#include "session/dso.h"
#include "symbols/disasm.h"
#include "symbols/module_code.h"
#include "symbols/source_text.h"

#endif
