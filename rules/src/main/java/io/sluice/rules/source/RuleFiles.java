package io.sluice.rules.source;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.yaml.DocumentError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one rule file, or a directory of rule files that form one set: each {@code *.yaml}, {@code *.yml} and {@code *.json} file
 * in it that is not hidden, in the order of their names. Subdirectories are ignored.
 *
 * <p>A directory is read through its real path, or through the real path of {@code ..data} in it. (In Kubernetes mounts, all files are
 * links into the directory that {@code ..data} points to.) If the real path has changed after reading, all files are read again. So files
 * from before and after a swap of the link are never mixed.
 */
final class RuleFiles {

    /** The maximum number of files in a directory, because every poll reads all of them. */
    static final int MOST_FILES = 1_000;

    private static final int MOST_BYTES = FileContent.MOST_BYTES;
    private static final int ATTEMPTS = 10;

    private RuleFiles() {}

    /** The content at the time of reading. Immutable. */
    public static final class Content {

        private final Path path;
        private final List<FileContent> files;

        private Content(Path path, List<FileContent> files) {
            this.path = path;
            this.files = List.copyOf(files);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Content content && files.equals(content.files);
        }

        @Override
        public int hashCode() {
            return files.hashCode();
        }

        /** Reads again. Returns this object if nothing has changed; this check allocates no memory for the content. */
        public Content again() {
            Content now = RuleFiles.readAfter(this, false);
            return now.equals(this) ? this : now;
        }

        /** Returns the rules of all files. A file that cannot be read is reported as an error. */
        public RuleDocument document() {
            List<RuleDocument.Text> texts = new ArrayList<>();
            List<DocumentError> errors = new ArrayList<>();
            for (FileContent file : files) {
                try {
                    texts.add(new RuleDocument.Text(file.name(), file.text()));
                } catch (IOException e) {
                    errors.add(DocumentError.of(file.name(), String.valueOf(e.getMessage())));
                }
            }
            RuleDocument document = RuleDocument.parseAll(texts);
            if (errors.isEmpty()) {
                return document;
            }
            if (document instanceof RuleDocument.Refused refused) {
                errors.addAll(refused.errors());
            }
            return new RuleDocument.Refused(errors, document.warnings());
        }
    }

    /** Reads a file or a directory, to be read again later. Opens regular files only. */
    public static Content read(Path path) {
        return readAfter(new Content(path, List.of()), false);
    }

    /** Reads a file, a pipe or a directory that is not read again. May block if the path is a pipe. */
    public static Content readOnce(Path path) {
        return readAfter(new Content(path, List.of()), true);
    }

    private static Content readAfter(Content before, boolean mayBePipe) {
        for (int i = 0; i < ATTEMPTS; i++) {
            FolderListing listing = FolderListing.of(before.path, mayBePipe);
            Content content = read(listing, before);
            if (listing.isStillThere()) {
                return content;
            }
        }
        return again(before, "directory: keeps changing while being read (expected: one that stays the same)");
    }

    private static Content read(FolderListing listing, Content before) {
        if (!listing.failure().isEmpty()) {
            return again(before, listing.failure());
        }
        Map<String, FileContent> known = new HashMap<>();
        before.files.forEach(file -> known.put(file.name(), file));
        List<FileContent> files = new ArrayList<>();
        long bytes = 0;
        for (FolderListing.Entry entry : listing.entries()) {
            FileContent old = known.get(entry.name());
            FileContent file = old == null ? FileContent.read(entry) : old.again(entry);
            bytes += file.length();
            if (bytes > MOST_BYTES) {
                return again(
                        before,
                        "size: more than " + MOST_BYTES + " bytes in all (expected: at most " + MOST_BYTES + ")");
            }
            files.add(file);
        }
        return new Content(before.path, files);
    }

    /** Returns the content for a failure. The same failure as before gives the same object. */
    private static Content again(Content before, String failure) {
        Content now = failed(before.path, failure);
        return now.equals(before) ? before : now;
    }

    private static Content failed(Path path, String failure) {
        return new Content(path, List.of(FileContent.failed(path.toString(), failure)));
    }
}
