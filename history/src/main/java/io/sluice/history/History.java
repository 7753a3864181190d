package io.sluice.history;

import io.sluice.core.history.HistoryEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The recordings of several processes that shared counts. Immutable.
 *
 * @param nodes one entry for each run of a process
 */
public record History(List<Node> nodes) {

    public History {
        nodes = List.copyOf(nodes);
    }

    /** Reads the files of all processes. */
    public static History read(List<Path> files) throws IOException {
        List<Node> nodes = new ArrayList<>();
        for (Path file : files) {
            nodes.add(HistoryReader.read(file));
        }
        return new History(nodes);
    }

    /**
     * The recording of one run of a process.
     *
     * @param name the name of the process
     * @param whole true if the recording is complete; false if the process was killed or its writer lost events
     * @param events the events, in the order in which the process recorded them
     */
    public record Node(String name, boolean whole, List<HistoryEvent> events) {

        public Node {
            events = List.copyOf(events);
        }
    }
}
