package io.sluice.testkit.http;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;

/** Variants of a path that a limiter may read differently than the server behind it. */
public final class PathVariants {

    private static final List<BiFunction<String, Random, String>> TRICKS = List.of(
            // Segments that servers ignore.
            inserted("/"),
            inserted("/./"),
            inserted("/x/../"),
            inserted("/x/%2e%2e/"),
            inserted("/x/.%2E/"),
            inserted("/x/..;/"),
            inserted("/x/..;a=b/"),
            inserted("/.;a=b/"),
            inserted("/;/"),
            inserted("/;a=b/"),
            inserted("/%2e/"),
            inserted("//"),
            inserted("///"),
            inserted("/../"),
            inserted("/%2f"),
            inserted("/%2F/"),
            inserted("%2f"),
            inserted("%252f"),
            inserted("\\"),
            inserted("%5c"),
            inserted("/%5c../"),
            inserted("%c0%af"),
            inserted("%e0%80%af"),
            inserted("%ef%bc%8f"),
            inserted("%u002f"),
            inserted("/%00/"),
            inserted(";/"),
            inserted(";a=b/"),
            inserted("/;/../"),
            inserted("/;a=b/%2e%2e/"),
            inserted("/./../"),
            inserted("/x//../"),
            inserted("/x/../%2e%2e/"),
            inserted(";a=/../"),
            inserted(";%2f"),
            inserted("/;%2e%2e/"),
            inserted("/;a=b;..;/"),
            inserted("/%2e;/"),
            inserted("/..%c0%af"),
            inserted("/%e2%80%a4%e2%80%a4/"),
            inserted("/%ef%bc%8e%ef%bc%8e/"),
            inserted("%e2%80%8b"),
            inserted("?/../"),
            inserted("&/../"),
            inserted("/%26/%2e%2e/"),
            inserted("%7c"),
            inserted("/*/"),
            inserted("/%20/../"),
            inserted(",/"),
            inserted(":/"),
            inserted("@/"),
            // Segments without a name.
            named(""),
            named(";"),
            named(";a=b"),
            named("."),
            named("%2e"),
            named("%2E;a"),
            named(".."),
            named("%2e."),
            named("..;a=b"),
            named("%20"),
            named("..."),
            named("%2e%2e%2e"),
            named("%e2%80%8b"),
            named("%c2%a0"),
            named("m%65"),
            named("me;x"),
            named("%4de"),
            named(":me"),
            named("me,x"),
            named("me%2cx"),
            named("%6d%65/"),
            named("me/;x"),
            named("%25"),
            // Suffixes.
            appended("/"),
            appended("//"),
            appended("/."),
            appended("/./"),
            appended("/x/.."),
            appended(";a=b"),
            appended(";"),
            appended(";jsessionid=1/"),
            appended("/;jsessionid=1"),
            appended("/;"),
            appended(";/"),
            appended(";/x"),
            appended(";a=b/x"),
            appended("/x/..;"),
            appended("%00"),
            appended("%00.html"),
            appended("%20"),
            appended("%09"),
            appended("."),
            appended("..;/"),
            appended("%3b"),
            appended("%3Ba=b"),
            appended("%3f"),
            appended("?"),
            appended("?a=b"),
            appended("?/../x"),
            appended("?a=/%2e%2e/"),
            appended("#x"),
            appended("%23x"),
            appended("%0d%0a"),
            appended("%ff"),
            appended("%"),
            appended("%2"),
            appended("%zz"),
            appended("+"),
            appended(".json"),
            appended("~"),
            // Prefixes.
            (path, random) -> "http://localhost" + path,
            (path, random) -> "HTTP://LOCALHOST:80" + path,
            (path, random) -> "https://localhost" + path,
            (path, random) -> "//localhost" + path,
            (path, random) -> "/" + path,
            (path, random) -> "/x/.." + path,
            (path, random) -> "/.." + path,
            (path, random) -> "/%2e%2e" + path,
            (path, random) -> "/;x" + path,
            (path, random) -> "/." + path,
            (path, random) -> path.substring(1),
            (path, random) -> "*" + path,
            // Letters in other encodings.
            letter(each -> String.format(Locale.ROOT, "%%%02x", (int) each)),
            letter(each -> String.format(Locale.ROOT, "%%%02X", (int) each)),
            letter(each -> String.format(Locale.ROOT, "%%25%02x", (int) each)),
            letter(each -> String.format(Locale.ROOT, "%%c1%%%02x", 0x80 | (each & 0x3f))),
            letter(each -> String.format(Locale.ROOT, "%%u%04x", (int) each)),
            letter(each -> String.valueOf(Character.toUpperCase(each))),
            letter(each -> each + "%cc%81"),
            letter(each -> each + "%c2%ad"),
            letter(each -> each == 's' ? "%c5%bf" : each == 'k' ? "%e2%84%aa" : each == 'i' ? "%c4%b1" : each + ""),
            letter(each -> String.format(Locale.ROOT, "%%ef%%bd%%%02x", 0x20 + each)),
            (path, random) -> path.toUpperCase(Locale.ROOT));

    private PathVariants() {}

    /** Returns this many different variants, none longer than a few hundred characters. */
    public static List<String> of(List<String> paths, Random random, int count) {
        Set<String> variants = new LinkedHashSet<>(paths);
        while (variants.size() < count) {
            String variant = paths.get(random.nextInt(paths.size()));
            // Most mixtures of tricks are refused by every server.
            for (int i = random.nextBoolean() ? 0 : random.nextInt(4); i >= 0; i--) {
                variant = random.nextInt(4) == 0
                        ? noise(variant, random)
                        : TRICKS.get(random.nextInt(TRICKS.size())).apply(variant, random);
            }
            variants.add(variant);
        }
        return List.copyOf(variants);
    }

    /** Inserts up to three characters that are on no list: any that a request line may have, or any byte, escaped. */
    private static String noise(String path, Random random) {
        StringBuilder inserted = new StringBuilder();
        for (int i = random.nextInt(3); i >= 0; i--) {
            inserted.append(
                    random.nextBoolean()
                            ? String.format(Locale.ROOT, "%%%02x", random.nextInt(256))
                            : String.valueOf((char) ('!' + random.nextInt('~' - '!' + 1))));
        }
        return inserted(inserted.toString()).apply(path, random);
    }

    /** Inserts a text in place of a slash, or at a random position. */
    private static BiFunction<String, Random, String> inserted(String what) {
        return (path, random) -> {
            int slash = nth(path, '/', random);
            if (slash >= 0 && random.nextInt(4) > 0) {
                return path.substring(0, slash) + what + path.substring(slash + 1);
            }
            int at = random.nextInt(path.length() + 1);
            return path.substring(0, at) + what + path.substring(at);
        };
    }

    private static BiFunction<String, Random, String> appended(String what) {
        return (path, random) -> path + what;
    }

    /** Gives another name to one of the segments. */
    private static BiFunction<String, Random, String> named(String what) {
        return (path, random) -> {
            int slash = nth(path, '/', random);
            int end = path.indexOf('/', slash + 1);
            return slash < 0 ? path : path.substring(0, slash + 1) + what + (end < 0 ? "" : path.substring(end));
        };
    }

    private static BiFunction<String, Random, String> letter(java.util.function.Function<Character, String> clothes) {
        return (path, random) -> {
            int at = random.nextInt(path.length());
            char each = path.charAt(at);
            return each < 'a' || each > 'z'
                    ? path
                    : path.substring(0, at) + clothes.apply(each) + path.substring(at + 1);
        };
    }

    private static int nth(String path, char wanted, Random random) {
        long all = path.chars().filter(each -> each == wanted).count();
        if (all == 0) {
            return -1;
        }
        int skip = random.nextInt((int) all);
        int at = path.indexOf(wanted);
        for (int i = 0; i < skip; i++) {
            at = path.indexOf(wanted, at + 1);
        }
        return at;
    }
}
