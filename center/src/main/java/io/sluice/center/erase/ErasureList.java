package io.sluice.center.erase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A list of all erasures in a file of the data directory, outside the database. A restored backup lacks the erasures that came
 * after it, but this file contains them. It contains hashes, no subjects. Thread-safe.
 */
final class ErasureList {

    /** The name of the file in the data directory. */
    static final String FILE = "erasures";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path file;
    private final String check;

    /** The newest line of each erasure. */
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    /**
     * An erasure.
     *
     * @param at the time in milliseconds since the epoch
     * @param subject the keyed hash of the subject
     * @param hashes keyed hashes of the hashes under which nodes know the subject
     */
    record Entry(
            long id,
            long at,
            String attribute,
            String subject,
            List<String> hashes,
            List<Removal.Row> rows,
            List<Removal.Text> texts) {

        static Entry of(Erasure erasure) {
            Removal removal = erasure.removal();
            return new Entry(
                    erasure.id(),
                    erasure.at(),
                    erasure.attribute(),
                    erasure.subject(),
                    removal.hashes(),
                    removal.rows(),
                    removal.texts());
        }

        private String name() {
            return id + " " + subject;
        }
    }

    private ErasureList(Path file, String check) {
        this.file = file;
        this.check = check;
    }

    static boolean exists(Path data) {
        return Files.exists(data.resolve(FILE));
    }

    /**
     * Reads the list of a data directory. A line that was truncated by a crash is removed; the table still has its erasure.
     *
     * @throws IOException with one line for the user
     */
    static ErasureList open(Path data, ErasureKey key) throws IOException {
        ErasureList list = new ErasureList(data.resolve(FILE), key.check());
        list.read();
        return list;
    }

    synchronized List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /**
     * Adds an erasure unless the file already contains exactly this entry. The entry is on the disk when this method returns.
     *
     * @throws IOException if the file cannot be written
     */
    synchronized void add(Entry entry) throws IOException {
        if (entry.equals(entries.get(entry.name()))) {
            return;
        }
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long end = channel.size();
            String head = end == 0 ? JSON.writeValueAsString(Map.of("sluice", FILE, "key", check)) + "\n" : "";
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(head + JSON.writeValueAsString(entry) + "\n");
            try {
                channel.position(end);
                while (bytes.hasRemaining()) {
                    int unused = channel.write(bytes);
                }
                channel.force(true);
            } catch (IOException e) {
                // A partial line would make the file unreadable.
                channel.truncate(end);
                throw e;
            }
        }
        entries.put(entry.name(), entry);
    }

    private void read() throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return;
        }
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        if (whole.length() < text.length()) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(whole.getBytes(StandardCharsets.UTF_8).length);
            }
        }
        int line = 0;
        for (String each : whole.lines().toList()) {
            line++;
            try {
                if (line == 1) {
                    requireKey(JSON.readTree(each));
                } else {
                    Entry entry = JSON.readValue(each, Entry.class);
                    entries.put(entry.name(), entry);
                }
            } catch (JacksonException e) {
                throw new IOException(
                        file + ": line " + line + " is damaged (expected: what a center wrote; copy the file from"
                                + " another center on the same database, or from a copy of the data directory)",
                        e);
            }
        }
    }

    private void requireKey(JsonNode head) throws IOException {
        if (!head.path("key").asString("").equals(check)) {
            throw new IOException(file + ": written with another " + ErasureKey.FILE + " (expected: both files from the"
                    + " same data directory)");
        }
    }
}
