package io.sluice.runtime.durable;

import io.sluice.rules.watch.RegularFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The content of a journal, and the form of its lines. */
final class JournalContent {

    private static final Logger LOG = LoggerFactory.getLogger(DurableJournal.class);
    private static final String SOURCE = "N\t";
    private static final String SUM = "S\t";
    private static final String DONE = "D\t";

    /** The number of lines after which progress is reported. */
    private static final int PROGRESS = 1_000;

    private final Set<String> sources = new LinkedHashSet<>();
    private final Set<String> done = new LinkedHashSet<>();

    /** The last state of each sum. The key is its line without that state. */
    private final Map<String, DurableSum> sums = new LinkedHashMap<>();

    private final boolean clean;
    private @Nullable String last;
    private long damaged;
    private long unknown;

    private JournalContent(boolean clean) {
        this.clean = clean;
    }

    /**
     * Reads a file; a file that does not exist has no content.
     *
     * @param clean whether the last run wrote everything
     * @param progress runs now and then
     */
    static JournalContent read(Path path, boolean clean, Runnable progress) throws IOException {
        JournalContent content = new JournalContent(clean);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(RegularFile.open(path), StandardCharsets.ISO_8859_1))) {
            long count = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                content.add(body(line));
                if (++count % PROGRESS == 0) {
                    progress.run();
                }
            }
        } catch (NoSuchFileException e) {
            return content;
        }
        content.tell(path);
        // A process that charged a store had restored it before.
        content.sums.values().forEach(sum -> content.done.add(sum.store()));
        return content;
    }

    private void add(String body) {
        if (body.startsWith(SOURCE) && DurableSum.isName(body.substring(SOURCE.length()))) {
            last = body.substring(SOURCE.length());
            sources.add(last);
        } else if (body.startsWith(DONE)) {
            done.add(body.substring(DONE.length()));
        } else if (body.isEmpty()) {
            damaged++;
        } else if (!body.startsWith(SUM) || !addSum(body.substring(SUM.length()))) {
            unknown++;
        }
    }

    private boolean addSum(String text) {
        try {
            DurableSum sum = DurableSum.parse(text);
            sums.put(text.substring(0, text.lastIndexOf('\t', text.lastIndexOf('\t') - 1)), sum);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void tell(Path path) {
        if (damaged > 0) {
            LOG.warn("the journal of durable limits in {} has {} damaged lines, which are left out", path, damaged);
        }
        if (unknown > 0) {
            LOG.warn(
                    "the journal of durable limits in {} has {} lines of another version, which are left out",
                    path,
                    unknown);
        }
    }

    /** Returns the sources of all runs, the oldest first. */
    Set<String> sources() {
        return sources;
    }

    /** Returns the stores that have all charges of earlier stores. */
    Set<String> done() {
        return done;
    }

    /** Returns the last state of each sum. */
    List<DurableSum> sums() {
        return List.copyOf(sums.values());
    }

    /** Returns the source of the last run, with which the next run can continue; empty unless the file is complete. */
    Optional<String> last() {
        return clean && damaged + unknown == 0 ? Optional.ofNullable(last) : Optional.empty();
    }

    static String sourceLine(String source) {
        return line(SOURCE + source);
    }

    static String doneLine(String store) {
        return line(DONE + store);
    }

    static String sumLine(DurableSum sum) {
        return line(SUM + sum.text());
    }

    private static String line(String body) {
        return checksum(body) + "\t" + body + "\n";
    }

    /** Returns a line without its checksum; an empty text if the checksum is wrong. */
    private static String body(String line) {
        int tab = line.indexOf('\t');
        String body = tab < 0 ? "" : line.substring(tab + 1);
        return tab > 0 && line.substring(0, tab).equals(checksum(body)) ? body : "";
    }

    private static String checksum(String body) {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(crc.getValue());
    }
}
