package io.sluice.node;

import io.sluice.history.HistoryErasure;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.runtime.erasure.ErasableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The recordings in a folder of the node, for erasures. The folder need not exist. */
final class Recordings implements ErasableStore {

    private static final int MOST_UNDER_WAY = 20;

    private final Path folder;

    /** The secrets for pseudonyms, by unfinished erasure. */
    private final Map<String, byte[]> underWay = new LinkedHashMap<>();

    Recordings(Path folder) {
        this.folder = folder;
    }

    @Override
    public String kind() {
        return "recordings";
    }

    @Override
    public Attempt erase(String erasure, SubjectKeys keys) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Attempt.done(0);
        }
        byte[] secret = underWay.computeIfAbsent(erasure, made -> HistoryErasure.newSecret());
        HistoryErasure.Result result = new HistoryErasure(keys.match(), secret).eraseIn(folder);
        int busy = result.busy().size();
        int unreadable = result.unreadable().size();
        if (busy + unreadable == 0) {
            underWay.remove(erasure);
            return Attempt.done(result.changed());
        }
        if (underWay.size() > MOST_UNDER_WAY) {
            underWay.remove(underWay.keySet().iterator().next());
        }
        return Attempt.unfinished(
                result.changed(),
                "of the recordings, " + busy + " are being written and " + unreadable + " are unreadable");
    }
}
