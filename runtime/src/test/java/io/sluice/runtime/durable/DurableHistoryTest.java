package io.sluice.runtime.durable;

import static io.sluice.runtime.durable.DurableFleet.QUOTA;
import static io.sluice.runtime.durable.DurableFleet.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.EngineDecision;
import io.sluice.runtime.durable.DurableFleet.Member;
import io.sluice.runtime.durable.TroubledDisk.Trouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three processes charge one count, while they are killed and restarted, their disks are full or fail, the center comes and goes, and the
 * store loses its data, in any order. In the end the store has all charges, but for those that nobody had when a process was killed.
 */
@Timeout(900)
class DurableHistoryTest extends DurableFleetFixture {

    private static final int PROCESSES = 3;
    private static final int STEPS = 120;
    private static final String KEY = "acme";

    private final List<NodeProcess> processes = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private Random random;
    private long granted;
    private long lost;

    /** A process, and what it charged that neither its disk nor the center has. */
    private static final class NodeProcess {

        private final TroubledDisk disk = new TroubledDisk();
        private String folder;
        private Member member;
        private LineOfProcess line;
        private long unsaved;
    }

    /** The way of one process to the center, which ends with the process. */
    private static final class LineOfProcess implements DurableLine {

        private final DurableLine center;
        private volatile boolean cut;

        LineOfProcess(DurableLine center) {
            this.center = center;
        }

        private DurableLine open() throws IOException {
            if (cut) {
                throw new IOException("killed");
            }
            return center;
        }

        @Override
        public void send(List<DurableSum> sums) throws IOException {
            open().send(sums);
        }

        @Override
        public List<DurableSum> earlierThan(String store) throws IOException {
            return open().earlierThan(store);
        }

        @Override
        public List<DurableSum> all() throws IOException {
            return open().all();
        }

        @Override
        public void remove(List<DurableSum> sums) throws IOException {
            open().remove(sums);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyChargeCountsOnceWhateverHappens(boolean center) throws IOException {
        for (int seed = 0; seed < 40; seed++) {
            random = new Random(seed);
            processes.clear();
            history.clear();
            granted = 0;
            lost = 0;
            fleet.close();
            fleet = new DurableFleet(Files.createDirectory(folder.resolve("fleet" + seed)));
            for (int i = 0; i < PROCESSES; i++) {
                NodeProcess each = new NodeProcess();
                each.folder = "p" + i;
                processes.add(each);
                start(each, center);
            }
            for (int i = 0; i < STEPS; i++) {
                step(center);
            }
            fleet.center().away(false);
            for (NodeProcess each : processes) {
                repair(each);
            }
            fleet.loseStore();
            restoreAll();

            long used = processes.get(0).member.used(KEY);
            assertThat(used).as("seed %d: %s", seed, history).isBetween(granted - lost, granted);
        }
    }

    private void step(boolean center) throws IOException {
        NodeProcess one = processes.get(random.nextInt(PROCESSES));
        String did = "p" + processes.indexOf(one) + " ";
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> did += "charges " + charge(one);
            case 5, 6 -> did += "flushes " + flush(one);
            case 7, 8 -> did += "sends " + (center && send(one));
            case 9 -> {
                did = "the store is lost";
                fleet.loseStore();
            }
            case 10 -> {
                did += "looks";
                one.member.check();
            }
            case 11 -> {
                did = "the center comes or goes";
                fleet.center().away(random.nextBoolean());
            }
            case 12 -> {
                did += "is killed";
                kill(one);
                start(one, center);
            }
            case 13 -> {
                did += "restarts";
                one.disk.set(Trouble.NONE);
                one.member.stop();
                one.unsaved = 0;
                start(one, center);
            }
            case 14 -> {
                did += "has a full disk";
                one.disk.set(Trouble.FULL);
            }
            default -> {
                did += "has a disk that works";
                repair(one);
            }
        }
        history.add(did);
    }

    private boolean charge(NodeProcess one) {
        long permits = 1L + random.nextInt(3);
        boolean charged =
                one.member.quotas().engine().decide(ask(QUOTA, KEY, permits)) instanceof EngineDecision decided
                        && decided.allowed();
        granted += charged ? permits : 0;
        one.unsaved += charged ? permits : 0;
        return charged;
    }

    private static boolean flush(NodeProcess one) {
        try {
            one.member.flush();
            boolean isOnDisk =
                    one.member.quotas().findings().stream().noneMatch(each -> each.contains("cannot be used"));
            one.unsaved = isOnDisk ? 0 : one.unsaved;
            return isOnDisk;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean send(NodeProcess one) {
        try {
            one.member.quotas().send();
            one.unsaved = 0;
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The disk works, and the process notices it. */
    private void repair(NodeProcess one) throws IOException {
        one.disk.set(Trouble.NONE);
        fleet.clock().advance(Duration.ofSeconds(6));
        one.member.quotas().write();
        one.member.flush();
        assertThat(one.member.quotas().findings()).noneMatch(each -> each.contains("journal"));
        one.unsaved = 0;
    }

    /** Another process goes on with what is on the disk. */
    private void kill(NodeProcess one) throws IOException {
        Path before = one.member.durable();
        lost += one.unsaved;
        one.unsaved = 0;
        one.folder += "x";
        Path after = fleet.member(one.folder).durable();
        Files.createDirectories(before);
        Files.createDirectories(after);
        try (Stream<Path> files = Files.list(before)) {
            files.forEach(each -> copy(each, after));
        }
        one.line.cut = true;
        one.disk.set(Trouble.NONE);
        one.member.stop();
    }

    private static void copy(Path file, Path to) {
        try {
            Files.copy(file, to.resolve(file.getFileName().toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void start(NodeProcess one, boolean center) {
        one.disk.set(random.nextInt(4) == 0 ? Trouble.OPEN_FAILS : Trouble.NONE);
        one.line = new LineOfProcess(fleet.center());
        one.member = fleet.member(one.folder).withDisk(one.disk).withCenter(one.line);
        Member unused = (center ? one.member : one.member.withoutCenter()).start();
    }

    private void restoreAll() {
        for (int i = 0; i < 3; i++) {
            fleet.clock().advance(Duration.ofSeconds(11));
            processes.forEach(each -> each.member.check());
        }
        processes.forEach(each -> assertThat(each.member.quotas().isRestored())
                .as("%s", each.member.quotas().findings())
                .isTrue());
    }
}
