package io.sluice.rules.internal;

import io.sluice.rules.RuleDocument;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Rule files as bytes and text. */
public final class RuleFiles {

    private static final int MOST_BYTES = YamlReader.MOST_CHARACTERS;

    private RuleFiles() {}

    /** What a file held when it was read: its bytes, or why there are none. Two of the same content are equal. */
    public static final class Content {

        private final Path file;
        private final byte[] bytes;
        private final String failure;

        private Content(Path file, byte[] bytes, String failure) {
            this.file = file;
            this.bytes = bytes;
            this.failure = failure;
        }

        public boolean sameAs(Content other) {
            return failure.equals(other.failure) && Arrays.equals(bytes, other.bytes);
        }

        public RuleDocument document() {
            if (!failure.isEmpty()) {
                return new RuleDocument.Refused(List.of(DocumentError.of(file.toString(), failure)));
            }
            try {
                String text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
                return RuleDocument.parse(file.toString(), text.startsWith("\uFEFF") ? text.substring(1) : text);
            } catch (CharacterCodingException e) {
                return new RuleDocument.Refused(
                        List.of(DocumentError.of(file.toString(), "encoding: not UTF-8 (expected: UTF-8)")));
            }
        }
    }

    public static Content read(Path file) {
        try {
            if (Files.isDirectory(file)) {
                return failed(file, "file: a directory (expected: one file; directories are not supported yet)");
            }
            if (Files.size(file) > MOST_BYTES) {
                return tooLarge(file, Files.size(file));
            }
            // What is no file in the usual sense has no size, and files may grow while they are read.
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MOST_BYTES + 1);
                return bytes.length > MOST_BYTES ? tooLarge(file, bytes.length) : new Content(file, bytes, "");
            }
        } catch (NoSuchFileException e) {
            return failed(file, "file: missing (expected: a rule document)");
        } catch (IOException e) {
            return failed(file, "file: unreadable (expected: a file this user may read)");
        }
    }

    private static Content tooLarge(Path file, long bytes) {
        return failed(file, "size: " + bytes + " bytes (expected: at most " + MOST_BYTES + ")");
    }

    private static Content failed(Path file, String failure) {
        return new Content(file, new byte[0], failure);
    }
}
