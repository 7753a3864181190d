package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The concurrency permits that an allowed request holds, across all of its limits, and the text with which the caller releases or
 * renews them. Immutable.
 *
 * <p>The text contains all necessary data. So no table of permits is kept, and any node that uses the same store accepts it. The text also
 * authenticates itself: permits are held under a name that is the hash of 16 random bytes and of the held permits (limit, numbers, key,
 * number of permits). The counts store that name, and the text contains the random bytes. A changed or invented text leads to a name that
 * holds no permits, so releasing it has no effect. The text contains keys as they are counted: hashed under {@code privacy: hash}.
 */
public final class Permit {

    static final int NONCE_BYTES = 16;

    /** The maximum length of the text of a permit. */
    public static final int LONGEST = 32 * 1024;

    private static final int FORM = 1;
    private static final int HOLDER_BYTES = 16;
    private static final int MOST_CHARGES = 1_000;

    private final byte[] nonce;
    private final List<Charge> here;
    private final List<Charge> inStore;

    Permit(byte[] nonce, List<Charge> here, List<Charge> inStore) {
        this.nonce = nonce;
        this.here = List.copyOf(here);
        this.inStore = List.copyOf(inStore);
    }

    /** Parses a text. Returns empty if it is not a permit. A valid text does not imply that its permits are still held. */
    public static Optional<Permit> read(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
            if (in.readByte() != FORM) {
                return Optional.empty();
            }
            byte[] nonce = in.readNBytes(NONCE_BYTES);
            Permit permit = new Permit(nonce, charges(nonce, in), charges(nonce, in));
            return in.available() == 0 ? Optional.of(permit) : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the text. It consists of letters, digits, {@code -} and {@code _}. */
    public String text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORM);
            out.write(nonce);
            write(here, out);
            write(inStore, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return encoded(bytes.toByteArray());
    }

    /** Returns the time for which all permits are held unless renewed: the shortest time to live of their limits. */
    public Duration ttl() {
        return Stream.concat(here.stream(), inStore.stream())
                .map(charge -> Duration.of(charge.limit().windowMicros(), ChronoUnit.MICROS))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Returns the same permit without the permits that these decisions hold. */
    Permit without(List<Decision> decisions) {
        Set<Charge> held = new HashSet<>();
        decisions.forEach(decision -> held.addAll(decision.outcome().charges(decision.ask())));
        return new Permit(nonce, without(held, here), without(held, inStore));
    }

    private static List<Charge> without(Set<Charge> some, List<Charge> all) {
        return all.stream().filter(charge -> !some.contains(charge)).toList();
    }

    /** Returns the permits held in the process that issued them. */
    List<Charge> here() {
        return here;
    }

    /** Returns the permits held in the shared store. */
    List<Charge> inStore() {
        return inStore;
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
