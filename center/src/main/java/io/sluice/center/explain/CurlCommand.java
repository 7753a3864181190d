package io.sluice.center.explain;

import io.sluice.rules.yaml.PrintableText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The request that a curl command would send. Nothing is sent, and no file is read. Immutable.
 *
 * @param address the address of the command, with the query that options such as {@code --get} add
 * @param headers the values of each header, by its name in lower case
 * @param body the text of the body; empty if there is none
 * @param warnings sentences about the parts that were not understood, without any value of the command
 */
record CurlCommand(
        String method, String address, Map<String, List<String>> headers, String body, List<String> warnings) {

    /** The maximum length of a command. */
    static final int MOST_CHARACTERS = 64 * 1024;

    private static final int MOST_HEADERS = 200;
    private static final int MOST_WARNINGS = 20;
    private static final int LONGEST_NAME = 40;

    /** The {@code User-Agent} of curl, regardless of its exact version. */
    private static final String AGENT = "curl/8.0.0";

    private static final String FORM = "application/x-www-form-urlencoded";

    CurlCommand {
        headers = headers.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> List.copyOf(each.getValue())));
        warnings = List.copyOf(warnings);
    }

    @Override
    public String toString() {
        // The command may identify a caller.
        return "CurlCommand(" + method + ")";
    }

    /**
     * Reads a command.
     *
     * @throws IllegalArgumentException if the command cannot be read. The message contains the problem and the expected form, but no value
     *     of the command.
     */
    static CurlCommand parse(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "curl: " + text.length() + " characters (expected: at most " + MOST_CHARACTERS + ")");
        }
        if (text.contains("^\"") || text.contains("^\n") || text.contains("^\r")) {
            throw new IllegalArgumentException(
                    "curl: written for the Windows command prompt (expected: a command for bash; browsers copy both)");
        }
        ShellWords words = ShellWords.of(text);
        List<String> list = words.list();
        int first = !list.isEmpty() && list.get(0).equals("$") ? 1 : 0;
        if (list.size() <= first || !isCurl(list.get(first))) {
            throw new IllegalArgumentException(
                    "curl: no curl command (expected: such as curl -X POST https://shop.example/api/login)");
        }
        return new Reader(words, first + 1).read();
    }

    private static boolean isCurl(String word) {
        String name = word.substring(word.lastIndexOf('/') + 1);
        return name.equals("curl") || name.equalsIgnoreCase("curl.exe");
    }

    /** Reads one command. */
    private static final class Reader {

        private final List<String> words;
        /** Headers that the command names with {@code -H}. */
        private final Map<String, List<String>> headers = new LinkedHashMap<>();

        /** Headers that curl adds by itself or because of other options. A header that the command names or removes is not added. */
        private final Map<String, String> own = new LinkedHashMap<>();

        /** Headers that the command removes with {@code -H 'Accept:'}. Headers that it names with a value, before or after, remain. */
        private final Set<String> removed = new LinkedHashSet<>();

        private final Set<String> warnings = new LinkedHashSet<>();
        private final List<String> addresses = new ArrayList<>();
        private final List<String> data = new ArrayList<>();
        private final List<String> query = new ArrayList<>();
        private final Set<CurlOption.Flag> flags = new LinkedHashSet<>();
        private int at;
        private int headerCount;
        private boolean hasBody;
        private boolean hasFile;
        private boolean isJson;
        private @Nullable String method;

        Reader(ShellWords words, int first) {
            this.words = words.list();
            this.at = first;
            if (words.expands()) {
                warn("variables and $(…) are not replaced; the text is taken as it is");
            }
            if (words.rest()) {
                warn("only the first command is read; pipes, redirections and further commands are left out");
            }
        }

        CurlCommand read() {
            boolean isOptions = true;
            while (at < words.size()) {
                String word = words.get(at++);
                if (word.equals("--next") || word.equals("-:")) {
                    warn("--next: only the first request is read");
                    break;
                }
                if (isOptions && word.equals("--")) {
                    isOptions = false;
                } else if (isOptions && word.startsWith("--")) {
                    named(word.substring(2));
                } else if (isOptions && word.length() > 1 && word.startsWith("-")) {
                    letters(word);
                } else {
                    addresses.add(word);
                }
            }
            return command();
        }

        private void named(String word) {
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            Optional<CurlOption> option = CurlOption.of(name);
            if (option.isPresent()) {
                take(option.get(), "--" + name, equals < 0 ? next("--" + name) : word.substring(equals + 1));
            } else if (CurlOption.flag(name).isPresent()) {
                flags.add(CurlOption.flag(name).get());
            } else if (!CurlOption.isFlag(name)) {
                unknown("--" + name);
            }
        }

        /** Reads the letters of one word. Letters may be joined, and an argument may directly follow its letter. */
        private void letters(String word) {
            for (int i = 1; i < word.length(); i++) {
                char letter = word.charAt(i);
                Optional<CurlOption> option = CurlOption.of(letter);
                if (option.isPresent()) {
                    String rest = word.substring(i + 1);
                    take(option.get(), "-" + letter, rest.isEmpty() ? next("-" + letter) : rest);
                    return;
                }
                CurlOption.flag(letter).ifPresent(flags::add);
                if (!CurlOption.isFlag(letter)) {
                    unknown("-" + letter);
                }
            }
        }

        private String next(String option) {
            if (at >= words.size()) {
                throw new IllegalArgumentException(
                        "curl: " + option + " without its value (expected: the whole command)");
            }
            return words.get(at++);
        }

        private void unknown(String option) {
            String shown = option.length() > LONGEST_NAME ? option.substring(0, LONGEST_NAME) + "…" : option;
            warn(PrintableText.text(shown) + ": unknown option, left out");
        }

        private void take(CurlOption option, String name, String value) {
            switch (option) {
                case METHOD -> method = value;
                case HEADER -> header(value);
                case DATA -> data(name, value, true);
                case DATA_BINARY -> data(name, value, true);
                case DATA_RAW -> data(name, value, false);
                case DATA_URLENCODED -> encoded(name, value);
                case JSON -> {
                    isJson = true;
                    data(name, value, true);
                }
                case FORM -> {
                    hasBody = true;
                    hasFile = true;
                    own.put("content-type", "multipart/form-data");
                    warn(name + ": fields of multipart bodies are not read, neither here nor by the gateway");
                }
                case UPLOAD -> {
                    method = method == null ? "PUT" : method;
                    file(name);
                }
                case USER -> own.put("authorization", "Basic " + base64(value));
                case BEARER -> own.put("authorization", "Bearer " + value);
                case COOKIE -> {
                    if (value.contains("=")) {
                        own.merge("cookie", value, (before, more) -> before + "; " + more);
                    } else {
                        file(name);
                    }
                }
                case AGENT -> own.put("user-agent", value);
                case REFERER -> own.put("referer", value);
                case RANGE -> own.put("range", "bytes=" + value);
                case URL -> addresses.add(value);
                case QUERY -> query.add(value.startsWith("+") ? value.substring(1) : pair(value));
                case OTHER -> {
                    // This option does not affect the request.
                }
            }
        }

        private void data(String name, String value, boolean mayBeFile) {
            hasBody = true;
            if (mayBeFile && value.startsWith("@")) {
                file(name);
            } else {
                data.add(value);
            }
        }

        private void encoded(String name, String value) {
            hasBody = true;
            int equals = value.indexOf('=');
            if (equals < 0 && value.contains("@")) {
                file(name);
            } else {
                data.add(pair(value));
            }
        }

        private static String pair(String value) {
            int equals = value.indexOf('=');
            String field = equals > 0 ? value.substring(0, equals) + "=" : "";
            return field + URLEncoder.encode(value.substring(equals + 1), StandardCharsets.UTF_8);
        }

        private void file(String option) {
            hasFile = true;
            warn(option + ": files are not read, so what they add is unknown");
        }

        private void header(String line) {
            int colon = line.indexOf(':');
            if (line.startsWith("@")) {
                file("-H");
            } else if (colon > 0) {
                String value = line.substring(colon + 1).strip();
                String name = line.substring(0, colon).strip();
                if (value.isEmpty()) {
                    removed.add(name.toLowerCase(Locale.ROOT));
                } else {
                    add(name, value);
                }
            } else if (line.endsWith(";") && line.length() > 1) {
                add(line.substring(0, line.length() - 1), "");
            } else {
                warn("-H: not a header (expected: a name, a colon and a value)");
            }
        }

        private void add(String name, String value) {
            if (++headerCount > MOST_HEADERS) {
                throw new IllegalArgumentException("curl: more than " + MOST_HEADERS + " headers (expected: fewer)");
            }
            headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), unused -> new ArrayList<>())
                    .add(value);
        }

        private CurlCommand command() {
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException(
                        "curl: no address (expected: such as https://shop.example/api/login)");
            }
            if (addresses.size() > 1) {
                warn("more than one address; only one is explained");
            }
            String address = addresses.stream()
                    .filter(each -> each.contains("://"))
                    .findFirst()
                    .orElse(addresses.get(0));
            boolean isGet = flags.contains(CurlOption.Flag.GET);
            if (isGet) {
                query.addAll(data);
            } else if (isJson) {
                own.putIfAbsent("content-type", "application/json");
                own.putIfAbsent("accept", "application/json");
            } else if (hasBody) {
                own.putIfAbsent("content-type", FORM);
            }
            own.putIfAbsent("accept", "*/*");
            own.putIfAbsent("user-agent", AGENT);
            if (flags.contains(CurlOption.Flag.COMPRESSED)) {
                own.putIfAbsent("accept-encoding", "deflate, gzip, br, zstd");
            }
            // An empty agent or referer is not sent.
            own.forEach((name, value) -> {
                if (!value.isEmpty() && !headers.containsKey(name) && !removed.contains(name)) {
                    add(name, value);
                }
            });
            String body = isGet || hasFile ? "" : String.join(isJson ? "" : "&", data);
            return new CurlCommand(method(isGet), withQuery(address), headers, body, List.copyOf(warnings));
        }

        private String method(boolean isGet) {
            if (method != null) {
                return method;
            }
            return flags.contains(CurlOption.Flag.HEAD) ? "HEAD" : hasBody && !isGet ? "POST" : "GET";
        }

        private String withQuery(String address) {
            int fragment = address.indexOf('#');
            String plain = fragment < 0 ? address : address.substring(0, fragment);
            return query.isEmpty() ? plain : plain + (plain.contains("?") ? "&" : "?") + String.join("&", query);
        }

        private static String base64(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        }

        private void warn(String sentence) {
            if (warnings.size() < MOST_WARNINGS) {
                warnings.add(sentence);
            }
        }
    }
}
