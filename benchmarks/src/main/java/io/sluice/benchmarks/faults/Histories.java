package io.sluice.benchmarks.faults;

import io.sluice.core.history.HistoryListener;
import io.sluice.history.CheckReport;
import io.sluice.history.HistoryChecker;
import io.sluice.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The histories that the nodes of one run record. Their files are kept if the checker finds a violation. */
final class Histories {

    private final Path folder = Files.createTempDirectory("sluice-faults");
    private final List<Path> files = new ArrayList<>();
    private final List<HistoryWriter> writers = new ArrayList<>();

    Histories() throws IOException {}

    /** Opens the history of another node. */
    HistoryListener recording() throws IOException {
        String node = "n" + files.size();
        files.add(folder.resolve(node + ".history"));
        HistoryWriter writer = HistoryWriter.open(files.get(files.size() - 1), node);
        writers.add(writer);
        return writer;
    }

    /** Checks the histories. The nodes must be closed before. */
    CheckReport check(Trial trial) throws IOException {
        writers.forEach(HistoryWriter::close);
        CheckReport report = HistoryChecker.check(files);
        trial.must(report.isClean(), report + " in " + folder);
        if (report.isClean()) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        }
        return report;
    }
}
