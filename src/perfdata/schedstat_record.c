/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes ↔ struct schedstat. Files are small and are read whole: perfdata/reader.h wants events, which these have none of.
 */
#include "perfdata/schedstat_record.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "perfdata/header.h"

#define HEAD_WORDS 3 /* record header, timestamp, CPU and version and domain */

static void put_u32(struct out *o, uint32_t v)
{
	out_mem(o, &v, sizeof(v));
}

/* The last three of a CPU have 64 bits, all others 32. */
static bool is_wide(bool is_domain, uint32_t field)
{
	return !is_domain && field >= 6;
}

static uint32_t values_size(uint32_t version, bool is_domain)
{
	uint32_t nr = schedstat_nr_values(version, is_domain);

	return is_domain ? (nr * 4 + 7) / 8 * 8 : 6 * 4 + 3 * 8;
}

static void encode_row(const struct schedstat *s, const struct schedstat_row *r, struct out *o)
{
	uint32_t nr = schedstat_nr_values(s->version, r->is_domain);
	struct record_header h = { .type = r->is_domain ? RECORD_SCHEDSTAT_DOMAIN : RECORD_SCHEDSTAT_CPU };

	h.size = (uint16_t)(HEAD_WORDS * 8 + values_size(s->version, r->is_domain));
	out_mem(o, &h, sizeof(h));
	out_mem(o, &r->timestamp, sizeof(r->timestamp));
	put_u32(o, r->cpu);
	put_u32(o, s->version | (uint32_t)r->domain << 16);
	for (uint32_t i = 0; i < nr; i++)
		if (is_wide(r->is_domain, i))
			out_mem(o, &r->values[i], 8);
		else
			put_u32(o, (uint32_t)r->values[i]);
	if (r->is_domain && nr % 2)
		put_u32(o, 0);
}

void schedstat_encode(const struct schedstat *s, struct out *o)
{
	for (uint32_t i = 0; i < s->rows.nr; i++)
		encode_row(s, &s->rows.v[i], o);
}

static void put_string(struct out *o, const char *text)
{
	char padded[320] = { 0 };
	uint32_t size = ((uint32_t)strlen(text) + 64) / 64 * 64;

	memcpy(padded, text, strlen(text));
	put_u32(o, size);
	out_mem(o, padded, size);
}

void schedstat_domains_encode(const struct schedstat *s, struct out *o)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->domains.nr; i++)
		most = s->domains.v[i].domain + 1u > most ? s->domains.v[i].domain + 1u : most;
	put_u32(o, s->version);
	put_u32(o, most);
	for (uint32_t i = 0; i < s->domains.nr;) {
		uint32_t nr = 0;

		while (i + nr < s->domains.nr && s->domains.v[i + nr].cpu == s->domains.v[i].cpu)
			nr++;
		put_u32(o, s->domains.v[i].cpu);
		put_u32(o, nr);
		for (; nr; nr--, i++) {
			put_u32(o, s->domains.v[i].domain);
			if (s->version >= 17)
				put_string(o, s->domains.v[i].name);
			put_string(o, s->domains.v[i].mask);
			put_string(o, s->domains.v[i].cpus);
		}
	}
}

/* ---- decoding ---- */

static int decode_row(struct schedstat *s, const struct record_header *h, struct bytes b)
{
	struct schedstat_row r = { .is_domain = h->type == RECORD_SCHEDSTAT_DOMAIN };
	uint16_t version;
	uint32_t nr;

	r.timestamp = bytes_u64(&b);
	r.cpu = bytes_u32(&b);
	version = bytes_u16(&b);
	r.domain = bytes_u16(&b);
	if (b.failed || version < SCHEDSTAT_FIRST_VERSION || version > SCHEDSTAT_LAST_VERSION || (s->rows.nr && version != s->version))
		return -EOPNOTSUPP;
	if (r.cpu >= SCHEDSTAT_MAX_CPUS)
		return -EBADMSG;
	if (!r.is_domain)
		r.domain = 0;
	s->version = version;
	nr = schedstat_nr_values(version, r.is_domain);
	for (uint32_t i = 0; i < nr; i++)
		r.values[i] = is_wide(r.is_domain, i) ? bytes_u64(&b) : bytes_u32(&b);
	if (b.failed)
		return -EBADMSG;
	vec_push(&s->rows, r);
	return 0;
}

static void take_string(struct bytes *b, char *to, size_t size)
{
	const char *text = bytes_str(b, bytes_u32(b));
	size_t len = text ? strlen(text) : 0;

	if (len >= size)
		len = 0; /* as one that was not written */
	if (len)
		memcpy(to, text, len);
	to[len] = 0;
}

/* Names are for the eye: what is damaged is left out. */
static void decode_domains(struct schedstat *s, struct bytes b)
{
	uint32_t version = bytes_u32(&b);

	bytes_u32(&b);
	while (!b.failed && bytes_left(&b) >= 8) {
		uint32_t cpu = bytes_u32(&b), nr = bytes_u32(&b);

		for (uint32_t i = 0; i < nr && !b.failed; i++) {
			struct schedstat_domain d = { .cpu = cpu, .domain = (uint16_t)bytes_u32(&b) };

			if (version >= 17)
				take_string(&b, d.name, sizeof(d.name));
			take_string(&b, d.mask, sizeof(d.mask));
			take_string(&b, d.cpus, sizeof(d.cpus));
			if (!b.failed)
				vec_push(&s->domains, d);
		}
	}
}

static bool lies_in(struct header_section part, size_t size)
{
	return part.off <= size && part.size <= size - part.off;
}

/* False: the section is not there, though the header says so. */
static bool find_domains(struct schedstat *s, const uint8_t *data, size_t size, struct header_section records, uint64_t features)
{
	uint64_t before = features & ((UINT64_C(1) << FEAT_CPU_DOMAIN_INFO) - 1), at;
	struct header_section part;

	at = records.off + records.size + 16 * (uint64_t)__builtin_popcountll(before);
	if (!(features >> FEAT_CPU_DOMAIN_INFO & 1))
		return true;
	if (at > size || size - at < sizeof(part))
		return false;
	memcpy(&part, data + at, sizeof(part));
	if (!lies_in(part, size))
		return false;
	decode_domains(s, bytes_of(data + part.off, part.size, false));
	return true;
}

int schedstat_decode(struct schedstat *s, const void *data, size_t size, const char *path, struct errbuf *eb)
{
	struct header_section records;
	const uint8_t *at = data;
	uint64_t magic, features;

	if (size < HEADER_SIZE_FILE)
		return errbuf_set(eb, -EBADMSG, "%s is no recording of 'assay sched stats record': it has %zu bytes", path, size);
	memcpy(&magic, at, sizeof(magic));
	memcpy(&records, at + HEADER_DATA_SIZE_OFF - 8, sizeof(records));
	memcpy(&features, at + 72, sizeof(features));
	if (magic != HEADER_MAGIC)
		return errbuf_set(eb, -EBADMSG, "%s is no recording of this byte order; 'assay sched stats record' makes one", path);
	if (!lies_in(records, size))
		return errbuf_set(eb, -ENODATA, "%s is cut short: its data ends at %llu, the file at %zu", path,
				  (unsigned long long)(records.off + records.size), size);
	for (uint64_t off = 0; off < records.size;) {
		struct record_header h;
		int err = -EBADMSG;

		if (records.size - off >= sizeof(h)) {
			memcpy(&h, at + records.off + off, sizeof(h));
			err = h.size < sizeof(h) || h.size > records.size - off ? -EBADMSG : 0;
		}
		if (!err && (h.type == RECORD_SCHEDSTAT_CPU || h.type == RECORD_SCHEDSTAT_DOMAIN))
			err = decode_row(s, &h, bytes_of(at + records.off + off + sizeof(h), h.size - sizeof(h), false));
		if (err)
			return errbuf_set(eb, err, "%s: the record at offset %llu %s", path, (unsigned long long)(records.off + off),
					  err == -EBADMSG ? "is malformed" : "has another version of /proc/schedstat than 15 to 17");
		off += h.size;
	}
	if (!s->rows.nr)
		return errbuf_set(eb, -ENODATA, "%s has no counters of /proc/schedstat; 'assay sched stats record' records them", path);
	if (!find_domains(s, at, size, records, features))
		return errbuf_set(eb, -ENODATA, "%s is cut short: the names of its domains are missing", path);
	return 0;
}
