package io.sluice.rules.internal;

import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleJson;
import io.sluice.rules.RuleSet;
import io.sluice.rules.RuleStamp;
import io.sluice.rules.yaml.DocumentError;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule set on disk: {@code {"version":12,"digest":"…","rules":[…]}}, where the digest is that of the same text without
 * version and digest. Replaced as a whole, so whoever reads sees one set or another; not for several threads.
 */
public final class KeptFile {

    private static final String NAME = "kept-rules.json";
    private static final String TEMPORARY = "kept-rules-";
    private static final String TEMPORARY_END = ".tmp";
    private static final String RULES = "\"rules\":[";
    private static final String END = "]}";
    private static final Pattern HEAD =
            Pattern.compile("\\{\"version\":([1-9][0-9]{0,14}),\"digest\":\"([0-9a-f]{64})\",");
    private static final int LONGEST_HEAD = 128;
    private static final int MOST_BYTES = 256 * 1024 * 1024;

    /** Documents have bounds that a set of many documents may exceed, so it is read in parts of so many rules. */
    private static final int PART = 5_000;

    private final Path folder;
    private final Path file;

    public KeptFile(Path folder) {
        this.folder = folder;
        this.file = folder.resolve(NAME);
    }

    /** What is on disk. */
    public sealed interface Reading {

        /** A set. */
        record Found(RuleSet rules) implements Reading {}

        /** There is no file. */
        record Nothing() implements Reading {}

        /** There is a file, and something is wrong with it. */
        record Unusable(DocumentError error) implements Reading {}
    }

    public Path path() {
        return file;
    }

    /** What the file says of itself, without looking at the rest; empty if there is none that does. */
    public Optional<RuleStamp> stamp() {
        try (InputStream in = Files.newInputStream(file)) {
            Matcher head = head(in.readNBytes(LONGEST_HEAD));
            return head.lookingAt() ? Optional.of(stamp(head)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    public Reading read() {
        try {
            if (Files.size(file) > MOST_BYTES) {
                return unusable("size: " + Files.size(file) + " bytes (expected: at most " + MOST_BYTES + ")");
            }
            byte[] bytes = Files.readAllBytes(file);
            Matcher head = head(bytes);
            if (!head.lookingAt()) {
                return unusable("document: not a kept rule set (expected: version, digest and rules)");
            }
            String digest = digest(bytes, head.end());
            if (!digest.equals(head.group(2))) {
                return unusable("digest: " + digest + " (expected: " + head.group(2) + ", the file was changed)");
            }
            return rules(stamp(head).version(), text(bytes, head.end()));
        } catch (NoSuchFileException e) {
            return new Reading.Nothing();
        } catch (CharacterCodingException e) {
            return unusable("encoding: not UTF-8 (expected: UTF-8)");
        } catch (IOException e) {
            return unusable("file: unreadable (expected: a file this user may read)");
        }
    }

    /** Whether the file holds the set of this stamp, undamaged. */
    public boolean holds(RuleStamp stamp) {
        try {
            if (!stamp().equals(Optional.of(stamp)) || Files.size(file) > MOST_BYTES) {
                return false;
            }
            byte[] bytes = Files.readAllBytes(file);
            Matcher head = head(bytes);
            return head.lookingAt() && digest(bytes, head.end()).equals(stamp.digest());
        } catch (IOException e) {
            return false;
        }
    }

    /** Replaces the file; either all of it is on disk afterwards, or the old one still is. */
    public void write(RuleSet rules) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        Path temporary = Files.createTempFile(folder, TEMPORARY, TEMPORARY_END);
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            isLocked(channel);
            write(rules, channel);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        sync(folder);
    }

    /** Removes what a process left behind that ended in the middle of writing, and not what one is writing right now. */
    public void sweep() {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, TEMPORARY + "*" + TEMPORARY_END)) {
            for (Path temporary : left) {
                try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                    if (isLocked(channel)) {
                        Files.deleteIfExists(temporary);
                    }
                }
            }
        } catch (IOException e) {
            // They take room and do no harm; the next start tries again.
        }
    }

    private static void write(RuleSet rules, FileChannel channel) throws IOException {
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
        try {
            String head = "{\"version\":" + rules.version() + ",\"digest\":\"" + rules.digest() + "\",";
            out.write(head.getBytes(StandardCharsets.UTF_8));
            boolean[] begun = new boolean[1];
            RuleJson.write(rules.rules(), text -> {
                try {
                    out.write(text.substring(begun[0] ? 0 : 1).getBytes(StandardCharsets.UTF_8));
                    begun[0] = true;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            out.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        channel.force(true);
    }

    /** Until the channel is closed. Where files cannot be locked, a start may remove what another process is writing. */
    private static boolean isLocked(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    /** So that the new name survives a loss of power, too. */
    private static void sync(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // Not every system can; the old set is good as well.
        }
    }

    private Reading rules(long version, String text) {
        if (!text.startsWith(RULES) || !text.endsWith(END)) {
            return unusable("document: not a kept rule set (expected: version, digest and rules)");
        }
        String body = text.substring(RULES.length(), text.length() - END.length());
        List<String> lines =
                body.isEmpty() ? List.of() : Arrays.asList(body.substring(1).split(",\n", -1));
        List<RuleDocument.Text> parts = new ArrayList<>();
        for (int i = 0; i < lines.size(); i += PART) {
            String part = String.join(",\n", lines.subList(i, Math.min(lines.size(), i + PART)));
            parts.add(new RuleDocument.Text(file.toString(), "{\"rules\":[" + part + "]}"));
        }
        RuleDocument document = RuleDocument.parseAll(parts);
        return document instanceof RuleDocument.Refused refused
                ? new Reading.Unusable(refused.errors().get(0))
                : new Reading.Found(new RuleSet(version, ((RuleDocument.Accepted) document).rules()));
    }

    private Reading unusable(String message) {
        return new Reading.Unusable(DocumentError.of(file.toString(), message));
    }

    private static Matcher head(byte[] bytes) {
        int length = Math.min(bytes.length, LONGEST_HEAD);
        return HEAD.matcher(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
    }

    private static RuleStamp stamp(Matcher head) {
        return new RuleStamp(Long.parseLong(head.group(1)), head.group(2));
    }

    private static String digest(byte[] bytes, int from) {
        MessageDigest sha = SetDigest.sha256();
        sha.update((byte) '{');
        sha.update(bytes, from, bytes.length - from);
        return HexFormat.of().formatHex(sha.digest());
    }

    private static String text(byte[] bytes, int from) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, from, bytes.length - from))
                .toString();
    }
}
