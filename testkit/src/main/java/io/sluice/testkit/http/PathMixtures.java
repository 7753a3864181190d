package io.sluice.testkit.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * Spellings of a path that a grammar makes from parts, while {@link PathVariants} applies a list of known tricks. Separators, dot segments,
 * parameters, characters, the form of the target and its end are each spelled at random, so most of these spellings are on no list.
 */
public final class PathMixtures {

    private static final String[] SLASHES = {
        "\\", "%2f", "%2F", "%5c", "%252f", "%255C", "%c0%af", "%e0%80%af", "%f0%80%80%af"
    };

    /** Characters that look like a slash, a dot or nothing, and some that other alphabets fold into ASCII. */
    private static final int[] FOREIGN = {
        0x2215, 0x2044, 0x29f8, 0xff0f, 0xff3c, 0xfe68, 0x2024, 0xff0e, 0x3002, 0x200b, 0x200d, 0xfeff, 0xad, 0x85,
        0xa0, 0x2028, 0x3000, 0x37e, 0xff1b, 0xff05, 0x17f, 0x212a, 0x131, 0x130, 0xfffd, 0x1d41a, 0x301, 0x7f, 0x100,
        0x10ffff
    };

    /** Characters between, before or after names in a URI or in an operating system. */
    private static final String MARKS = ";;;;=,&:@!$'()*+~|^`{}[]<>\"\t \u0000\r\u000b%.?#";

    /** Hosts without ports: Werkzeug never answers if the port is followed by something else than a slash. */
    private static final String[] HOSTS = {"localhost", "LOCALHOST.", "a:b@localhost", "localhost;x", ""};

    private final Random random;
    private final StringBuilder out = new StringBuilder();

    /** How often, of a hundred, a character is spelled in another way. */
    private int letters;

    private PathMixtures(Random random) {
        this.random = random;
    }

    /** Returns this many different spellings. */
    public static List<String> of(List<String> paths, Random random, int count) {
        PathMixtures mixtures = new PathMixtures(random);
        Set<String> all = new LinkedHashSet<>();
        while (all.size() < count) {
            all.add(mixtures.spell(paths.get(random.nextInt(paths.size()))));
        }
        return List.copyOf(all);
    }

    private String spell(String path) {
        out.setLength(0);
        // Most spellings have one or two oddities: each server refuses what is odd everywhere.
        letters = one(3) ? oneOf(3, 15, 60, 100) : 0;
        int gaps = one(2) ? 30 : 0;
        int parameters = one(2) ? 30 : 0;
        int slashes = one(4) ? 25 : 0;
        if (one(6)) {
            scheme();
        }
        String[] names = path.substring(1).split("/", -1);
        for (String name : names) {
            slash(slashes);
            for (int i = 0; i < 3 && percent(gaps); i++) {
                filler();
                slash(slashes);
            }
            name.chars().forEach(each -> letter((char) each));
            if (percent(parameters)) {
                parameter();
            }
        }
        if (one(3)) {
            end();
        }
        // A request line ends at a line feed, and a space ends its target.
        return out.toString().replace("\n", "%0a");
    }

    private void scheme() {
        out.append(oneOf("http", "HTTP", "https", "hTtPs", "ws", "wss", "ftp", "file", "javascript", ""));
        out.append(oneOf("://", "://", "://", ":/", ":", "//", ":///", ":\\\\"));
        out.append(HOSTS[random.nextInt(HOSTS.length)]);
        if (one(4)) {
            out.append(oneOf("?", "#", "\\", "%2f", ";", "%3f", "/.", "/..", "@"));
        }
    }

    private void slash(int odd) {
        if (!percent(odd)) {
            out.append('/');
        } else if (one(3)) {
            encoded(foreign());
        } else {
            out.append(SLASHES[random.nextInt(SLASHES.length)]);
        }
    }

    /** A segment that some servers drop, or a name and the dots that take it away again. */
    private void filler() {
        switch (random.nextInt(6)) {
            case 0 -> dots(random.nextInt(2));
            case 1 -> parameter();
            case 2 -> {
                dots(1 + random.nextInt(2));
                parameter();
            }
            case 3 -> {
                out.append(oneOf("x", "public", "files", "me", "%78", "x;y", ";", ".", "%2e", ""));
                out.append('/');
                dots(2);
                if (one(3)) {
                    parameter();
                }
            }
            case 4 -> encoded(foreign());
            default -> mark();
        }
    }

    private void dots(int count) {
        for (int i = 0; i < count; i++) {
            out.append(
                    one(2) ? "." : oneOf("%2e", "%2E", "%252e", "%c0%ae", "%ef%bc%8e", "%e2%80%a4", "%u002e", "&#46;"));
        }
    }

    private void parameter() {
        out.append(one(4) ? oneOf("%3b", "%3B", ",", "&", ":", ";;", "%253b", "=") : ";");
        for (int i = random.nextInt(4); i > 0; i--) {
            switch (random.nextInt(5)) {
                case 0 -> out.append(oneOf("a", "b=c", "jsessionid=1", "v=1.1", "x,y"));
                case 1 -> mark();
                case 2 -> dots(1 + random.nextInt(2));
                case 3 -> out.append(one(2) ? "/" : SLASHES[random.nextInt(SLASHES.length)]);
                default -> encoded(foreign());
            }
        }
    }

    private void mark() {
        char mark = MARKS.charAt(random.nextInt(MARKS.length()));
        if (one(2) && mark > ' ') {
            out.append(mark);
        } else {
            escape(mark);
        }
    }

    private void end() {
        switch (random.nextInt(6)) {
            case 0 -> out.append(oneOf("?", "??", "?/..", "?;/x", "#", "#/../x", "?#", "%3f", "%23", "&", "%26x"));
            case 1 -> out.append(oneOf("/", "//", "/.", "/..", "/;", "/%20", "\\", "%2f", "/?", "/#"));
            case 2 -> out.append(oneOf(".", "..", "...", ".html", ".json;x", "~", "::$DATA", "%00", "%00.html", "%"));
            case 3 -> parameter();
            case 4 -> encoded(foreign());
            default -> mark();
        }
    }

    private void letter(char letter) {
        if (!percent(letters)) {
            out.append(letter);
            return;
        }
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> escape(letter);
            case 3 -> out.append(Character.toUpperCase(letter));
            case 4 -> out.append(String.format(Locale.ROOT, "%%25%02x", (int) letter));
            // Overlong UTF-8 of two and three bytes.
            case 5 ->
                out.append(String.format(Locale.ROOT, "%%%02x%%%02x", 0xc0 | (letter >> 6), 0x80 | (letter & 0x3f)));
            case 6 ->
                out.append(
                        String.format(Locale.ROOT, "%%e0%%%02x%%%02x", 0x80 | (letter >> 6), 0x80 | (letter & 0x3f)));
            // The same letter in full width, and its neighbour in another encoding of the same low byte.
            case 7 -> encoded(letter + 0xfee0);
            default -> encoded(letter + 0x100 * (1 + random.nextInt(4)));
        }
    }

    private void escape(char each) {
        out.append(String.format(one(2) ? "%%%02x" : "%%%02X", (int) each));
    }

    /** A character in UTF-8, escaped or, rarely, as raw bytes. */
    private void encoded(int point) {
        boolean raw = one(6);
        for (byte each : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
            out.append(raw ? String.valueOf((char) (each & 0xff)) : String.format("%%%02X", each & 0xff));
        }
    }

    private int foreign() {
        return one(4) ? 1 + random.nextInt(0xd7ff) : FOREIGN[random.nextInt(FOREIGN.length)];
    }

    private boolean one(int of) {
        return random.nextInt(of) == 0;
    }

    private boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    private int oneOf(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private String oneOf(String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
