package io.sluice.center.explain;

import io.sluice.http.field.BodyFields;
import io.sluice.http.field.QueryFields;
import io.sluice.http.request.Authority;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestFields;
import io.sluice.http.request.RequestMethod;
import io.sluice.http.request.RequestTarget;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.AttributeNames;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A request to be explained, with the attributes that the gateway would give it. Immutable.
 *
 * @param ignored the names of headers and fields that no rule reads
 * @param warnings sentences about the parts that were not understood
 */
record AskedRequest(Attributes attributes, List<String> ignored, List<String> warnings) {

    private static final int MOST_IGNORED = 50;
    private static final int LONGEST_NAME = 100;

    /** Attributes that the gateway knows and a command does not contain. */
    private static final List<String> UNTOLD = List.of("service", "ip", "user", "tenant", "app", "plan");

    AskedRequest {
        ignored = List.copyOf(ignored);
        warnings = List.copyOf(warnings);
    }

    @Override
    public String toString() {
        // The attributes may identify a caller.
        return "AskedRequest(" + attributes.size() + ")";
    }

    /**
     * Reads given attributes, in the same way as {@code POST /v1/explain}.
     *
     * @throws IllegalArgumentException if they cannot be the attributes of a request
     */
    static AskedRequest of(Map<String, String> given, RuleSet rules) {
        return new AskedRequest(
                Attributes.of(QueryFields.of(rules.queryFields()).addedTo(given)), List.of(), List.of());
    }

    /**
     * Reads a command.
     *
     * @param given attributes that are known in addition to the command; they take precedence
     * @throws IllegalArgumentException if the gateway could not read such a request at all
     */
    static AskedRequest of(CurlCommand curl, Map<String, String> given, RuleSet rules) {
        try {
            return new Reader(curl, rules).read(given);
        } catch (RefusedRequestException e) {
            throw new IllegalArgumentException("curl: " + e.detail());
        }
    }

    /** Returns only the attributes that at least one of the rules can read. */
    Map<String, String> readBy(Collection<Rule> rules) {
        Set<String> names = new HashSet<>(AttributeNames.PLAIN);
        rules.forEach(rule -> rule.addAttributes(names));
        Map<String, String> some = new HashMap<>();
        for (String name : attributes.names()) {
            String value = attributes.get(name);
            if (value != null && names.contains(name)) {
                some.put(name, value);
            }
        }
        return some;
    }

    /** Reads one command. */
    private static final class Reader {

        private final RuleSet rules;
        private final CurlCommand curl;
        private final Map<String, List<String>> headers;
        private final Map<String, String> values = new HashMap<>();
        private final List<String> warnings;

        Reader(CurlCommand curl, RuleSet rules) {
            this.rules = rules;
            this.curl = curl;
            this.headers = new HashMap<>(curl.headers());
            this.warnings = new ArrayList<>(curl.warnings());
        }

        AskedRequest read(Map<String, String> given) throws RefusedRequestException {
            String method = RequestMethod.read(curl.method());
            RequestTarget target = RequestTarget.read(method, address());
            values.put("method", method);
            target.path(PathForm.STRICT);
            values.put("path", target.sentPath());
            Optional<Authority> host = host(target);
            host.ifPresent(found -> values.put("header.host", found.host()));
            try {
                RequestFields.addTo(
                        values,
                        rules,
                        name -> name.equals("host")
                                ? host.map(Authority::host).stream().toList()
                                : headers.getOrDefault(name, List.of()),
                        target.query());
            } catch (RefusedRequestException e) {
                refused(e.detail());
            }
            body(target.query());
            given.forEach((name, value) -> values.put(Attributes.normalisedName(name), value));
            untold();
            return new AskedRequest(Attributes.of(values), ignored(target.query()), warnings);
        }

        /** Returns the address with a scheme, without a user, in ASCII. */
        private String address() {
            String text = ascii(curl.address());
            if (text.startsWith("/")) {
                return text;
            }
            int scheme = text.indexOf("://");
            int start = scheme < 0 ? 0 : scheme + 3;
            int end = start;
            while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            int user = text.lastIndexOf('@', end - 1);
            if (user >= start) {
                headers.putIfAbsent(
                        "authorization",
                        List.of("Basic "
                                + Base64.getEncoder()
                                        .encodeToString(
                                                text.substring(start, user).getBytes(StandardCharsets.UTF_8))));
                text = text.substring(0, start) + text.substring(user + 1);
            }
            return scheme < 0 ? "http://" + text : text;
        }

        private static String ascii(String text) {
            StringBuilder out = new StringBuilder();
            for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
                if (each < 0) {
                    out.append('%')
                            .append(Character.forDigit((each >> 4) & 15, 16))
                            .append(Character.forDigit(each & 15, 16));
                } else {
                    out.append((char) each);
                }
            }
            return out.toString();
        }

        private Optional<Authority> host(RequestTarget target) {
            List<String> lines = headers.getOrDefault("host", List.of());
            String authority = target.authority();
            String text = lines.isEmpty() ? (authority == null ? "" : authority) : lines.get(0);
            Optional<Authority> host = Authority.parse(text);
            if (host.isEmpty() || lines.size() > 1) {
                refused("host: none or not one host (expected: such as shop.example)");
            }
            return host;
        }

        private void body(String query) {
            Attributes known = Attributes.of(values);
            BodyFields fields = BodyFields.of(rules.bodyFields(known), rules.requiredFields(known));
            if (curl.body().isEmpty() || fields.isEmpty()) {
                return;
            }
            List<String> type = headers.getOrDefault("content-type", List.of());
            BodyFields.Body body = fields.read(
                    type.isEmpty() ? null : type.get(0), query, curl.body().getBytes(StandardCharsets.UTF_8));
            if (body instanceof BodyFields.Found found) {
                values.putAll(found.attributes());
            } else if (body instanceof BodyFields.Ambiguous ambiguous) {
                refused(ambiguous.message());
            } else if (body instanceof BodyFields.Unread unread) {
                refused(unread.message());
            }
        }

        private void refused(String detail) {
            warnings.add("the gateway refuses such a request: " + detail);
        }

        private void untold() {
            Set<String> read = new HashSet<>();
            for (Rule rule : rules.rules()) {
                rule.addAttributes(read);
                if (rule.scope().service() != null) {
                    read.add("service");
                }
            }
            List<String> missing = UNTOLD.stream()
                    .filter(name -> read.contains(name) && !values.containsKey(name))
                    .toList();
            if (!missing.isEmpty()) {
                warnings.add(
                        "a command does not tell " + String.join(", ", missing) + ", which rules read (expected: add"
                                + " {\"attributes\": {\"" + missing.get(0) + "\": …}} if you know them)");
            }
        }

        private List<String> ignored(String query) {
            Set<String> names = new TreeSet<>();
            headers.keySet().forEach(name -> names.add("header." + name));
            for (String pair : query.split("&", MOST_IGNORED + 1)) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                if (!name.isEmpty()) {
                    names.add("query." + name);
                }
            }
            names.removeAll(values.keySet());
            return names.stream()
                    .map(name -> name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) + "…" : name)
                    .limit(MOST_IGNORED)
                    .toList();
        }
    }
}
