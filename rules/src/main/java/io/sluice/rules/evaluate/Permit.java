package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The concurrency permits that an allowed request holds, across all of its limits, and the text with which the caller releases or
 * renews them. Immutable.
 *
 * <p>The text contains all necessary data. So no table of permits is kept, and any node that uses the same store accepts it. The text also
 * authenticates itself: permits are held under a name that is the hash of 16 random bytes and of the held permits (limit, numbers, key,
 * number of permits). The counts store that name, and the text contains the random bytes. A changed or invented text leads to a name that
 * holds no permits, so releasing it has no effect. The text contains keys as they are counted: hashed under {@code privacy: hash}.
 *
 * <p>Form 1 of the text knows this process and the store only. Every version of the program reads it, so a permit has form 1 unless other
 * sides hold a part of it. Form 2 names each side.
 */
public final class Permit {

    static final int NONCE_BYTES = 16;

    /** The maximum length of the text of a permit. */
    public static final int LONGEST = 32 * 1024;

    private static final int PROCESS_AND_STORE = 1;
    private static final int NAMED_SIDES = 2;
    private static final Set<String> SIDES_OF_FORM_1 = Set.of(Side.PROCESS, Side.STORE);
    private static final int HOLDER_BYTES = 16;
    private static final int MOST_CHARGES = 1_000;
    private static final int MOST_SIDES = 100;

    private final byte[] nonce;
    private final Map<String, List<Charge>> sides;

    /** @param sides the permits that each side holds, by the name of the side */
    Permit(byte[] nonce, Map<String, List<Charge>> sides) {
        this.nonce = nonce;
        Map<String, List<Charge>> copy = new LinkedHashMap<>();
        sides.forEach((side, held) -> copy.put(side, List.copyOf(held)));
        this.sides = copy;
    }

    /** Parses a text. Returns empty if it is not a permit. A valid text does not imply that its permits are still held. */
    public static Optional<Permit> read(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
            int form = in.readByte();
            if (form != PROCESS_AND_STORE && form != NAMED_SIDES) {
                return Optional.empty();
            }
            byte[] nonce = in.readNBytes(NONCE_BYTES);
            Permit permit = new Permit(nonce, sides(form, nonce, in));
            return in.available() == 0 ? Optional.of(permit) : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the text. It consists of letters, digits, {@code -} and {@code _}. */
    public String text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            int form = SIDES_OF_FORM_1.containsAll(sides.keySet()) ? PROCESS_AND_STORE : NAMED_SIDES;
            out.writeByte(form);
            out.write(nonce);
            if (form == PROCESS_AND_STORE) {
                write(heldBy(Side.PROCESS), out);
                write(heldBy(Side.STORE), out);
            } else {
                out.writeShort(sides.size());
                for (Map.Entry<String, List<Charge>> side : sides.entrySet()) {
                    out.writeUTF(side.getKey());
                    write(side.getValue(), out);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return encoded(bytes.toByteArray());
    }

    /** Returns the time for which all permits are held unless renewed: the shortest time to live of their limits. */
    public Duration ttl() {
        return sides.values().stream()
                .flatMap(List::stream)
                .map(charge -> Duration.of(charge.limit().windowMicros(), ChronoUnit.MICROS))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Returns the same permit without the permits that these decisions hold. */
    Permit without(SideDecisions decisions) {
        Set<Charge> held = new HashSet<>();
        decisions.forEach((side, decision) -> held.addAll(decision.outcome().charges(decision.ask())));
        Map<String, List<Charge>> rest = new LinkedHashMap<>();
        sides.forEach((side, all) -> rest.put(side, without(held, all)));
        return new Permit(nonce, rest);
    }

    private static List<Charge> without(Set<Charge> some, List<Charge> all) {
        return all.stream().filter(charge -> !some.contains(charge)).toList();
    }

    /** Returns the names of the sides that hold permits. */
    Set<String> sides() {
        return sides.keySet();
    }

    /** Returns the permits that a side holds. */
    List<Charge> heldBy(String side) {
        return sides.getOrDefault(side, List.of());
    }

    /** Returns the name under which these permits are held. */
    static String holder(byte[] nonce, Limit limit, String key, long permits) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(nonce);
            write(limit, key, permits, out);
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
            return encoded(Arrays.copyOf(hash, HOLDER_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(List<Charge> charges, DataOutputStream out) throws IOException {
        out.writeShort(charges.size());
        for (Charge charge : charges) {
            write(charge.limit(), charge.key(), charge.permits(), out);
        }
    }

    private static void write(Limit limit, String key, long permits, DataOutputStream out) throws IOException {
        out.writeUTF(limit.name());
        out.writeLong(limit.capacity());
        out.writeLong(limit.windowMicros());
        out.writeUTF(key);
        out.writeLong(permits);
    }

    private static Map<String, List<Charge>> sides(int form, byte[] nonce, DataInputStream in) throws IOException {
        Map<String, List<Charge>> sides = new LinkedHashMap<>();
        if (form == PROCESS_AND_STORE) {
            sides.put(Side.PROCESS, charges(nonce, in));
            sides.put(Side.STORE, charges(nonce, in));
            return sides;
        }
        int count = in.readUnsignedShort();
        if (count > MOST_SIDES) {
            throw new IOException("too many sides in a permit");
        }
        for (int i = 0; i < count; i++) {
            sides.put(in.readUTF(), charges(nonce, in));
        }
        return sides;
    }

    private static List<Charge> charges(byte[] nonce, DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        if (count > MOST_CHARGES) {
            throw new IOException("too many charges in a permit");
        }
        List<Charge> charges = new ArrayList<>(Math.min(count, 16));
        for (int i = 0; i < count; i++) {
            String name = in.readUTF();
            long most = in.readLong();
            Duration ttl = Duration.of(in.readLong(), ChronoUnit.MICROS);
            Limit limit = Limit.named(name).concurrency(most, ttl);
            String key = in.readUTF();
            long permits = in.readLong();
            charges.add(new Charge(limit, key, permits, 0, holder(nonce, limit, key, permits)));
        }
        return charges;
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
