package io.sluice.redis.internal.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations that are sent to Redis in one call and answered in order. Each count and each text is sent only once. Not
 * thread-safe.
 */
public final class Batch {

    /**
     * The maximum number of demands in one batch, because Redis does no other work while it runs a batch. This many token
     * buckets take Redis about a millisecond. More demands in one call would save nothing: at this size the fixed cost of a
     * call is hardly one percent.
     */
    static final int MOST_DEMANDS = 256;

    /** The maximum number of demands of one operation, because they are numbered with two bytes. */
    public static final int LARGEST_QUESTION = 65_535;

    private static final byte[] NOTHING = {};
    private static final char CHARGE = 'c';
    private static final char TIME = 'T';
    private static final char NUMBERING = 'N';

    private final List<Operation> questions = new ArrayList<>();
    private final Numbered counts = new Numbered();
    private final Numbered texts = new Numbered();

    /** The index of the count and of the text of each demand, from 1. */
    private final Numbers numbers = new Numbers();

    /** The counts whose own state has no room for the numbers of their steps. */
    private final BitSet numberedApart = new BitSet();

    private final String time;
    private final boolean recording;
    private int demands;

    /**
     * Creates an empty batch.
     *
     * @param time the time to decide by; empty for the server's own clock
     */
    public Batch(String time, boolean recording) {
        this.time = time;
        this.recording = recording;
    }

    public List<Operation> questions() {
        return questions;
    }

    public boolean isEmpty() {
        return questions.isEmpty();
    }

    /** Returns whether one more operation fits. An empty batch takes any operation. */
    public boolean hasRoomFor(Operation question) {
        return questions.isEmpty() || demands + question.size() <= MOST_DEMANDS;
    }

    public void add(Operation question) {
        questions.add(question);
        demands += question.size();
        for (int i = 0; i < question.size(); i++) {
            int count = counts.of(question.counts[i]);
            numbers.add(count);
            numbers.add(texts.of(question.texts[i]));
            if (recording && DemandEncoder.isNumberedApart(question.texts[i])) {
                numberedApart.set(count);
            }
        }
    }

    /**
     * Returns whether the batch cannot be divided: all operations are on one count, or the only operation settles one
     * reservation.
     */
    public boolean isOfOneCount() {
        return counts.size() == 1
                || (questions.size() == 1
                        && questions.get(0) instanceof Operation.SettlementUpdate only
                        && only.settlements() == 1);
    }

    /** Returns whether the callers of most operations no longer wait. */
    public boolean isMostlyLate(long nowNanos) {
        int late = 0;
        for (Operation question : questions) {
            late += question.isLate(nowNanos) ? 1 : 0;
        }
        return late * 2 > questions.size();
    }

    /** Returns the operations whose callers no longer wait. */
    public List<Operation> late(long nowNanos) {
        return questions.stream().filter(question -> question.isLate(nowNanos)).toList();
    }

    public Batch without(List<Operation> some) {
        Batch others = new Batch(time, recording);
        questions.stream().filter(question -> !some.contains(question)).forEach(others::add);
        return others;
    }

    public byte[][] keys() {
        int size = counts.size();
        byte[][] keys = new byte[size + numberedApart.cardinality()][];
        int next = size;
        for (int i = 0; i < size; i++) {
            keys[i] = bytes(counts.get(i));
            if (numberedApart.get(i + 1)) {
                keys[next++] = RedisKeys.numbering(keys[i]);
            }
        }
        return keys;
    }

    /** Returns whether this is one charge on one count, which has a function of its own. */
    public boolean isOneCharge() {
        return demands == 1 && !recording && questions.get(0).purpose == CHARGE;
    }

    /** Returns the arguments of the function for one charge. */
    public byte[][] argsOfOne() {
        byte[] text = bytes(texts.get(0));
        return time.isEmpty() ? new byte[][] {text} : new byte[][] {text, bytes(time)};
    }

    /** Returns the arguments of the functions that run a plan. */
    public byte[][] args() {
        byte[][] args = new byte[1 + texts.size()][];
        args[0] = plan();
        for (int i = 0; i < texts.size(); i++) {
            args[1 + i] = bytes(texts.get(i));
        }
        return args;
    }

    private byte[] plan() {
        byte[] head = head();
        ByteBuffer plan = ByteBuffer.allocate(head.length + questions.size() * 3 + demands * 4);
        plan.put(head);
        int next = 0;
        for (Operation question : questions) {
            plan.put((byte) question.purpose).putShort((short) question.size());
            for (int i = 0; i < question.size(); i++) {
                plan.putShort((short) numbers.get(next++)).putShort((short) numbers.get(next++));
            }
        }
        return plan.array();
    }

    private byte[] head() {
        if (time.isEmpty() && !recording) {
            return NOTHING;
        }
        int timeBytes = time.isEmpty() ? 0 : 1 + Double.BYTES;
        int numberingBytes = recording ? 3 + 2 * numberedApart.cardinality() : 0;
        ByteBuffer head = ByteBuffer.allocate(timeBytes + numberingBytes);
        if (!time.isEmpty()) {
            head.put((byte) TIME);
            head.order(ByteOrder.LITTLE_ENDIAN)
                    .putDouble((double) Long.parseLong(time))
                    .order(ByteOrder.BIG_ENDIAN);
        }
        if (recording) {
            head.put((byte) NUMBERING).putShort((short) numberedApart.cardinality());
            numberedApart.stream().forEach(count -> head.putShort((short) count));
        }
        return head.array();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Distinct texts, numbered from 1. Most batches have only a few, and then comparing is faster than hashing. */
    private static final class Numbered {

        private static final int FEW = 4;

        private final List<String> texts = new ArrayList<>(FEW);
        private @Nullable Map<String, Integer> numbers;

        int size() {
            return texts.size();
        }

        String get(int index) {
            return texts.get(index);
        }

        int of(String text) {
            int number = numbers == null ? texts.indexOf(text) + 1 : numbers.getOrDefault(text, 0);
            if (number == 0) {
                texts.add(text);
                number = texts.size();
                keep(text, number);
            }
            return number;
        }

        private void keep(String text, int number) {
            if (numbers != null) {
                numbers.put(text, number);
            } else if (number > FEW) {
                numbers = new HashMap<>();
                for (int i = 0; i < number; i++) {
                    numbers.put(texts.get(i), i + 1);
                }
            }
        }
    }

    /** A list of ints that grows. */
    private static final class Numbers {

        private int[] numbers = new int[8];
        private int size;

        void add(int number) {
            if (size == numbers.length) {
                numbers = Arrays.copyOf(numbers, size * 2);
            }
            numbers[size++] = number;
        }

        int get(int index) {
            return numbers[index];
        }
    }
}
