package io.sluice.rules.source;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.source.RuleFiles.Content;
import io.sluice.rules.watch.Looks;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One rule file, or all rule files of a directory as one set. The files are polled twice a second, so a change is in force within 2 s.
 *
 * <p>Content matters, not time stamps. Content is taken when two polls in a row see the same, so a half-written file is never used. A
 * change that leaves the rules equal is not a change. The files are read at each poll, so this works on every file system and through
 * every link.
 */
public final class FileDocuments implements DocumentSource {

    private final Path path;
    private @Nullable Content seen;

    public FileDocuments(Path path) {
        this.path = path;
    }

    /** Reads a file, a pipe, or the files of a directory, once. A file that cannot be read is reported as an error. */
    public static RuleDocument read(Path path) {
        return RuleFiles.readOnce(path).document();
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public SourceWords words() {
        return SourceWords.local(path.toString());
    }

    @Override
    public Duration every() {
        return Looks.OFTEN;
    }

    @Override
    public DocumentReading read(Known known) {
        Content before = seen;
        Content now = before == null ? RuleFiles.read(path) : before.again();
        boolean isSettled = before == null || now.equals(before);
        // Equal content is kept in memory only once, however often it is read.
        Content held = known.revision() instanceof Content content && content.equals(now) ? content : null;
        seen = held == null ? now : held;
        return isSettled && held == null
                ? new DocumentReading.Documents(now, now.document())
                : new DocumentReading.Unchanged();
    }

    /** Opens {@code file:} addresses. */
    public static final class Provider implements DocumentSourceProvider {

        @Override
        public boolean opens(String scheme) {
            return scheme.equals("file");
        }

        @Override
        public DocumentSource open(URI address, String nodeId) {
            return new FileDocuments(Path.of(address));
        }
    }
}
