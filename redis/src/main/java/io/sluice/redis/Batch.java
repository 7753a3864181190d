package io.sluice.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Questions that go to Redis in one call and are answered in their order. Each count and each text is sent once. Not
 * thread-safe.
 */
final class Batch {

    /**
     * A batch keeps Redis from doing anything else until it is done. This many token buckets take it about a millisecond; more
     * in one call would save nothing, because by then the cost of a call is hardly a hundredth.
     */
    static final int MOST_DEMANDS = 256;

    /** The most demands that a question can have, because they are numbered with two bytes. */
    static final int LARGEST_QUESTION = 65_535;

    private final List<Question> questions = new ArrayList<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Map<String, Integer> texts = new HashMap<>();
    private final List<byte[]> keys = new ArrayList<>();
    private final List<byte[]> args = new ArrayList<>();
    private final ByteArrayOutputStream plan = new ByteArrayOutputStream();
    private final String time;
    private final boolean recording;
    private int demands;

    /** @param time the time to decide by, empty for the server's own */
    Batch(String time, boolean recording) {
        this.time = time;
        this.recording = recording;
        args.add(bytes(time));
        args.add(bytes(recording ? "record" : ""));
        args.add(new byte[0]);
    }

    List<Question> questions() {
        return questions;
    }

    boolean isEmpty() {
        return questions.isEmpty();
    }

    /** Whether one more question may come along; any may that is alone. */
    boolean hasRoomFor(Question question) {
        return questions.isEmpty() || demands + question.size() <= MOST_DEMANDS;
    }

    void add(Question question) {
        questions.add(question);
        demands += question.size();
        plan.write(question.purpose);
        writeNumber(question.size());
        for (int i = 0; i < question.size(); i++) {
            writeNumber(index(question.counts[i], counts, keys));
            writeNumber(index(question.texts[i], texts, args));
        }
    }

    boolean isOfOneCount() {
        return counts.size() == 1;
    }

    /** Whether nobody waits any more for most of them. */
    boolean isMostlyLate(long nowNanos) {
        int late = 0;
        for (Question question : questions) {
            late += question.isLate(nowNanos) ? 1 : 0;
        }
        return late * 2 > questions.size();
    }

    /** Those for which nobody waits any more. */
    List<Question> late(long nowNanos) {
        return questions.stream().filter(question -> question.isLate(nowNanos)).toList();
    }

    Batch without(List<Question> some) {
        Batch others = new Batch(time, recording);
        questions.stream().filter(question -> !some.contains(question)).forEach(others::add);
        return others;
    }

    byte[][] keys() {
        List<byte[]> all = new ArrayList<>(keys);
        if (recording) {
            keys.forEach(key -> all.add(CountKeys.numbering(key)));
        }
        return all.toArray(byte[][]::new);
    }

    byte[][] args() {
        args.set(2, plan.toByteArray());
        return args.toArray(byte[][]::new);
    }

    private static int index(String text, Map<String, Integer> known, List<byte[]> sent) {
        Integer index = known.get(text);
        if (index == null) {
            index = known.size() + 1;
            known.put(text, index);
            sent.add(bytes(text));
        }
        return index;
    }

    private void writeNumber(int number) {
        plan.write(number >> 8);
        plan.write(number);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
