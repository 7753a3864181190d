package io.sluice.history;

import io.sluice.core.history.HistoryEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What several processes recorded of the same counts. Immutable.
 *
 * @param nodes one for each process run
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
     * What one process run recorded.
     *
     * @param name what it is called
     * @param whole whether it is all there; not if the process was killed, or its writer lost something
     * @param events in the order in which the process told of them
     */
    public record Node(String name, boolean whole, List<HistoryEvent> events) {

        public Node {
            events = List.copyOf(events);
        }
    }
}
