package io.sluice.rules.source;

import io.sluice.rules.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

/** The content of a file at the time it was read: its bytes, or the reason why there are none. Immutable. */
final class FileContent {

    static final int MOST_BYTES = YamlReader.MOST_CHARACTERS;

    private static final int BUFFER = 64 * 1024;

    private final String name;
    private final byte[] bytes;
    private final String failure;

    private FileContent(String name, byte[] bytes, String failure) {
        this.name = name;
        this.bytes = bytes;
        this.failure = failure;
    }

    static FileContent failed(String name, String failure) {
        return new FileContent(name, new byte[0], failure);
    }

    static FileContent read(FolderListing.Entry entry) {
        String name = entry.name();
        Path place = entry.place();
        try {
            String refused = refused(entry, attributes(place));
            if (!refused.isEmpty()) {
                return failed(name, refused);
            }
            try (InputStream in = Files.newInputStream(place)) {
                byte[] bytes = in.readNBytes(MOST_BYTES + 1);
                return bytes.length > MOST_BYTES
                        ? failed(name, tooLarge(bytes.length))
                        : new FileContent(name, bytes, "");
            }
        } catch (NoSuchFileException e) {
            return failed(name, "file: missing (expected: a rule document)");
        } catch (IOException e) {
            return failed(name, "file: unreadable (expected: a file this user may read)");
        }
    }

    /** Reads the file again. Returns this object if the content is the same. */
    FileContent again(FolderListing.Entry entry) {
        if (failure.isEmpty() && holds(entry)) {
            return this;
        }
        FileContent now = read(entry);
        return now.equals(this) ? this : now;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof FileContent file
                        && name.equals(file.name)
                        && failure.equals(file.failure)
                        && Arrays.equals(bytes, file.bytes));
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, failure, Arrays.hashCode(bytes));
    }

    String name() {
        return name;
    }

    int length() {
        return bytes.length;
    }

    /** Returns the content as text, without a byte order mark. */
    String text() throws IOException {
        if (!failure.isEmpty()) {
            throw new IOException(failure);
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new IOException("encoding: not UTF-8 (expected: UTF-8)", e);
        }
    }

    /**
     * Returns whether the content is the same. Compares piece by piece, so that checking an unchanged file does not allocate memory of its
     * size.
     */
    private boolean holds(FolderListing.Entry entry) {
        try {
            BasicFileAttributes attributes = attributes(entry.place());
            if (!refused(entry, attributes).isEmpty()
                    || (attributes.isRegularFile() && attributes.size() != bytes.length)) {
                return false;
            }
            byte[] buffer = new byte[Math.min(BUFFER, bytes.length + 1)];
            try (InputStream in = Files.newInputStream(entry.place())) {
                int at = 0;
                for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                    if (n > bytes.length - at || !Arrays.equals(buffer, 0, n, bytes, at, at + n)) {
                        return false;
                    }
                    at += n;
                }
                return at == bytes.length;
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static BasicFileAttributes attributes(Path place) throws IOException {
        return Files.readAttributes(place, BasicFileAttributes.class);
    }

    /**
     * Refuses a path that is not a readable file. Reading a pipe may block until another process writes to it, so a pipe is read only once,
     * for a command, and only if the user named it directly.
     */
    private static String refused(FolderListing.Entry entry, BasicFileAttributes attributes) {
        if (attributes.isDirectory()) {
            return "file: a directory (expected: a rule document)";
        }
        if (attributes.isOther() && !entry.mayBePipe()) {
            return "file: a pipe or device (expected: a rule document)";
        }
        return attributes.size() > MOST_BYTES ? tooLarge(attributes.size()) : "";
    }

    private static String tooLarge(long bytes) {
        return "size: " + bytes + " bytes (expected: at most " + MOST_BYTES + ")";
    }
}
