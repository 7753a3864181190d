package io.sluice.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sluice.core.spi.KeyMatch;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the keys of a subject in recordings by pseudonyms. The checker judges a recording as before, because each key, and each name
 * of a count, has one pseudonym. Not thread-safe.
 *
 * <p>Pseudonyms are keyed hashes with a random secret that is not stored, so a pseudonym cannot be traced back to its subject later.
 * Recordings of other processes that are erased elsewhere get other pseudonyms: if they are checked together, such a count looks like
 * several counts.
 *
 * <p>A recording is replaced atomically: at any time, the file is either the old or the new recording. A recording that a {@link
 * HistoryWriter} of this or another process is writing is not changed and is reported as busy; close its writer and erase again.
 */
public final class HistoryErasure {

    private static final String ALGORITHM = "HmacSHA256";
    private static final String UNFINISHED = ".erasing";
    private static final int DEEPEST = 4;
    private static final int PSEUDONYM_BYTES = 8;

    /** The position of the key, by kind of line. */
    private static final Map<String, Integer> KEY_PLACES = Map.of("a", 10, "b", 7, "r", 7, "c", 7, "g", 8);

    private static final String COUNT = "count";
    private static final int COUNT_NAME = 2;

    private static final ObjectMapper JSON = new ObjectMapper(
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());

    private final KeyMatch match;

    /** The names of the subject's counts. A recording may have only the name of a count whose key is in another recording. */
    private final Set<String> counts = new HashSet<>();

    private final Mac mac;

    /** Creates an erasure with pseudonyms of its own. */
    public HistoryErasure(KeyMatch match) {
        this(match, newSecret());
    }

    /**
     * Creates an erasure that continues another erasure with the same pseudonyms.
     *
     * @param secret the secret of the other erasure, see {@link #newSecret}; forget it when the erasure is done
     */
    public HistoryErasure(KeyMatch match, byte[] secret) {
        this.match = match;
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java runtime must provide it", e);
        }
    }

    /** Returns a random secret for pseudonyms. */
    public static byte[] newSecret() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    /**
     * The result of an erasure.
     *
     * @param changed the number of recordings that had keys of the subject
     * @param busy the recordings that were not changed because they are being written
     * @param unreadable the recordings that could not be read or replaced
     */
    public record Result(long changed, List<Path> busy, List<Path> unreadable) {

        public Result {
            busy = List.copyOf(busy);
            unreadable = List.copyOf(unreadable);
        }
    }

    /** Erases in all recordings in a folder and its subfolders. Does not follow links. Other files are not touched. */
    public Result eraseIn(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(folder, DEEPEST)) {
            files = found.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        long changed = 0;
        List<Path> busy = new ArrayList<>();
        List<Path> unreadable = new ArrayList<>();
        List<Path> histories = new ArrayList<>();
        for (Path file : files) {
            if (file.getFileName().toString().endsWith(UNFINISHED)) {
                Files.deleteIfExists(file);
                continue;
            }
            try {
                if (isHistory(file)) {
                    histories.add(file);
                    learn(file);
                }
            } catch (IOException e) {
                // The second pass reports the failure.
            }
        }
        for (Path file : histories) {
            try {
                changed += erase(file) ? 1 : 0;
            } catch (BusyException e) {
                busy.add(file);
            } catch (IOException e) {
                unreadable.add(file);
            }
        }
        return new Result(changed, busy, unreadable);
    }

    /**
     * Learns the names of the subject's counts from a recording, so that {@link #eraseFile} finds these counts in recordings that have only
     * their names. Ignores a file that cannot be read or is not a recording; {@link #eraseFile} handles such files.
     */
    public void learn(Path file) {
        try {
            if (isHistory(file)) {
                var unused = survey(file);
            }
        } catch (IOException e) {
            // The second pass reports the failure.
        }
    }

    /**
     * Erases in one recording and returns true if it had keys of the subject. Returns false for a file that does not exist or is not a
     * recording.
     *
     * @throws IOException if the recording is being written, or cannot be read or replaced
     */
    public boolean eraseFile(Path file) throws IOException {
        return Files.exists(file) && isHistory(file) && erase(file);
    }

    private static boolean isHistory(Path file) throws IOException {
        String magic = "[\"" + HistoryFormat.MAGIC + "\",";
        byte[] start;
        try (var in = Files.newInputStream(file)) {
            start = in.readNBytes(magic.length());
        }
        return new String(start, StandardCharsets.US_ASCII).equals(magic);
    }

    /** Returns true if the recording had keys of the subject. */
    private boolean erase(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = lock(channel)) {
            if (lock == null) {
                throw new BusyException();
            }
            Survey survey = survey(file);
            if (survey.counts.isEmpty() && !survey.broken) {
                return false;
            }
            Path next = file.resolveSibling(file.getFileName() + UNFINISHED);
            try {
                rewrite(file, next, survey);
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(next);
            }
            return !survey.counts.isEmpty();
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** The keys and names that have to be replaced in a recording. */
    private static final class Survey {

        final List<String> names = new ArrayList<>();

        /** The numbers of the subject's counts. */
        final BitSet counts = new BitSet();

        /** True if the last line is incomplete, because the process was killed. The new recording omits it. */
        boolean broken;
    }

    private Survey survey(Path file) throws IOException {
        Survey survey = new Survey();
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    survey(line, survey);
                } catch (JsonProcessingException | IllegalArgumentException e) {
                    if (lines.readLine() != null) {
                        throw new IOException("a line is not one of a history");
                    }
                    survey.broken = true;
                }
            }
        } catch (CharacterCodingException e) {
            throw new IOException("not text");
        }
        return survey;
    }

    private void survey(String line, Survey survey) throws JsonProcessingException {
        JsonNode row = row(line);
        if (row == null) {
            return;
        }
        String kind = row.get(0).asText();
        if (kind.equals(HistoryFormat.MAGIC)) {
            expect(HistoryFormat.isReadable(row.path(1).asInt()));
        } else if (kind.equals(COUNT)) {
            expect(row.path(1).asInt(-1) == survey.names.size()
                    && row.path(COUNT_NAME).isTextual());
            String name = row.get(COUNT_NAME).textValue();
            survey.names.add(name);
            if (counts.contains(name) || isOfSubject(name)) {
                counts.add(name);
                survey.counts.set(row.get(1).intValue());
            }
        } else {
            JsonNode key = row.path(KEY_PLACES.getOrDefault(kind, 0));
            int count = row.path(1).asInt(-1);
            expect(count >= 0 && count < survey.names.size() && key.isTextual());
            if (match.matches(key.textValue())) {
                counts.add(survey.names.get(count));
                survey.counts.set(count);
            }
        }
    }

    /** Returns the line as JSON if it may contain a key, otherwise null. */
    private static @Nullable JsonNode row(String line) throws JsonProcessingException {
        int end = line.indexOf('"', 2);
        String kind = line.startsWith("[\"") && end > 0 ? line.substring(2, end) : "";
        boolean relevant = kind.equals(COUNT) || kind.equals(HistoryFormat.MAGIC) || KEY_PLACES.containsKey(kind);
        if (!relevant && !kind.isEmpty()) {
            return null;
        }
        JsonNode row = JSON.readTree(line);
        expect(row.isArray() && relevant);
        return row;
    }

    private static void expect(boolean holds) {
        if (!holds) {
            throw new IllegalArgumentException("unexpected line (expected: a line of a history)");
        }
    }

    /**
     * Returns true if the name of a count ends with a key of the subject. A name consists of parts and a key, separated by colons, and a
     * key may itself contain colons. A part in braces may be a tag of the subject.
     */
    private boolean isOfSubject(String count) {
        if (match.matches(count)) {
            return true;
        }
        String tag = "";
        for (int colon = count.indexOf(':'); colon >= 0; colon = count.indexOf(':', colon + 1)) {
            String rest = count.substring(colon + 1);
            if (rest.startsWith("{") && rest.contains("}:")) {
                tag = rest.substring(0, rest.indexOf("}:") + 1);
            }
            if (rest.startsWith("#") ? match.matchesDigest(rest.substring(1)) : match.matches(decoded(rest))) {
                return true;
            }
            if (!tag.isEmpty() && match.matches(tag + decoded(rest))) {
                return true;
            }
        }
        return false;
    }

    /** Replaces the escapes in a name in Redis by the characters that they stand for. */
    private static String decoded(String text) {
        StringBuilder key = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            boolean escape = text.charAt(i) == '%'
                    && i + 2 < text.length()
                    && HexFormat.isHexDigit(text.charAt(i + 1))
                    && HexFormat.isHexDigit(text.charAt(i + 2));
            key.append(escape ? (char) HexFormat.fromHexDigits(text, i + 1, i + 3) : text.charAt(i));
            i += escape ? 2 : 0;
        }
        return key.toString();
    }

    private void rewrite(Path file, Path next, Survey survey) throws IOException {
        Files.deleteIfExists(next);
        Files.createFile(next);
        PosixFileAttributeView rights = Files.getFileAttributeView(next, PosixFileAttributeView.class);
        if (rights != null) {
            rights.setPermissions(Files.getPosixFilePermissions(file));
        }
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8);
                BufferedWriter out = Files.newBufferedWriter(next, StandardCharsets.UTF_8)) {
            boolean first = true;
            String line = lines.readLine();
            while (line != null) {
                String after = lines.readLine();
                if (after != null || !survey.broken) {
                    out.write(first ? "" : "\n");
                    out.write(erased(line, survey));
                    first = false;
                }
                line = after;
            }
        }
        try (FileChannel written = FileChannel.open(next, StandardOpenOption.WRITE)) {
            written.force(true);
        }
    }

    private String erased(String line, Survey survey) throws JsonProcessingException {
        if (!(row(line) instanceof ArrayNode row)) {
            return line;
        }
        String kind = row.get(0).asText();
        if (kind.equals(COUNT) && survey.counts.get(row.get(1).intValue())) {
            row.set(
                    COUNT_NAME,
                    TextNode.valueOf("erased:" + pseudonym(row.get(COUNT_NAME).textValue())));
            return JSON.writeValueAsString(row);
        }
        Integer place = KEY_PLACES.get(kind);
        if (place != null && survey.counts.get(row.get(1).intValue())) {
            row.set(place, TextNode.valueOf("erased-" + pseudonym(row.get(place).textValue())));
            return JSON.writeValueAsString(row);
        }
        return line;
    }

    private String pseudonym(String text) {
        byte[] hash = mac.doFinal(text.getBytes(StandardCharsets.UTF_16BE));
        return HexFormat.of().formatHex(hash, 0, PSEUDONYM_BYTES);
    }

    /** Thrown when a recording is being written. */
    private static final class BusyException extends IOException {

        private static final long serialVersionUID = 1;
    }
}
