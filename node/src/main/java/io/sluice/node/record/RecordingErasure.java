package io.sluice.node.record;

import io.sluice.history.HistoryErasure;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.runtime.erasure.ErasableStore.Attempt;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Removes a subject from the files of a recording. Keys in histories are replaced, so that the checker judges them as before; lines of
 * requests are removed. Each file is replaced atomically, so a crash leaves either the old or the new file.
 */
final class RecordingErasure {

    private static final String UNFINISHED = ".erasing";

    private RecordingErasure() {}

    /** @param current the files that are being written, which are never changed; null if there are none */
    static Attempt erase(Path folder, @Nullable RecordingName current, SubjectKeys keys) throws IOException {
        HistoryErasure histories = new HistoryErasure(keys.match());
        long changed = 0;
        int failed = 0;
        Map<RecordingName, List<Path>> all = RecordingFiles.files(folder);
        all.keySet().removeIf(name -> name.equals(current));
        // The counts of the subject are known when all histories have been read.
        for (RecordingName name : all.keySet()) {
            histories.learn(name.history(folder));
        }
        for (RecordingName name : all.keySet()) {
            try {
                changed += histories.eraseFile(name.history(folder)) ? 1 : 0;
                changed += requests(name.requests(folder), keys.hashes()) ? 1 : 0;
            } catch (IOException e) {
                failed++;
            }
        }
        return failed == 0
                ? Attempt.done(changed)
                : Attempt.unfinished(changed, "files of the recording cannot be read or replaced: " + failed);
    }

    /** Returns whether the file had lines of the subject. */
    private static boolean requests(Path file, List<String> hashes) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        boolean found = false;
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null && !found; line = lines.readLine()) {
                found = isOf(line, hashes);
            }
        }
        if (found) {
            Path next = file.resolveSibling(file.getFileName() + UNFINISHED);
            try {
                rewrite(file, next, hashes);
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(next);
            }
        }
        return found;
    }

    private static void rewrite(Path file, Path next, List<String> hashes) throws IOException {
        Files.deleteIfExists(next);
        Files.createFile(next);
        PosixFileAttributeView rights = Files.getFileAttributeView(next, PosixFileAttributeView.class);
        if (rights != null) {
            rights.setPermissions(Files.getPosixFilePermissions(file));
        }
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8);
                BufferedWriter out = Files.newBufferedWriter(next, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!isOf(line, hashes)) {
                    out.write(line);
                    out.write('\n');
                }
            }
        }
        try (FileChannel written = FileChannel.open(next, StandardOpenOption.WRITE)) {
            written.force(true);
        }
    }

    /** A hash has 43 characters, so no other text contains it. */
    private static boolean isOf(String line, List<String> hashes) {
        return hashes.stream().anyMatch(line::contains);
    }
}
