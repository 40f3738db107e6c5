// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_get POINTER... < FILE: check that FILE is one JSON value and nothing
 * else, and print what each POINTER (RFC 6901) points to, a line each
 */
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

static struct json_object *parse(const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, len);
	if (json_tokener_get_error(tokener) != json_tokener_success) {
		fprintf(stderr, "json_get: %s\n",
			json_tokener_error_desc(json_tokener_get_error(tokener)));
		exit(1);
	}
	json_tokener_free(tokener);
	return object;
}

int main(int argc, char **argv)
{
	static char text[1 << 20];
	size_t len = fread(text, 1, sizeof(text) - 1, stdin);
	struct json_object *object = parse(text, len), *found;
	int i;

	for (i = 1; i < argc; i++) {
		if (json_pointer_get(object, argv[i], &found)) {
			fprintf(stderr, "json_get: no %s\n", argv[i]);
			return 1;
		}
		puts(json_object_to_json_string_ext(found, JSON_C_TO_STRING_NOSLASHESCAPE));
	}
	json_object_put(object);
	return 0;
}
