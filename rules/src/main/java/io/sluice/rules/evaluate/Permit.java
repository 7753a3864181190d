package io.sluice.rules.evaluate;

import io.sluice.core.limit.Concurrency;
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
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the caller of an allowed request holds of concurrency limits, one for all of them, and the text by which he gives it back or
 * renews it. Immutable.
 *
 * <p>The text carries everything that is needed, so no table of permits is kept and any node of the same store can take it. It
 * proves itself: permits are held under a name that is the hash of 16 random bytes and of what is held (limit, numbers, key, how
 * much). The counts know that name, the text has the bytes. Whoever changes the text, or makes one up, arrives at a name that holds
 * nothing, and who holds nothing changes nothing. Keys stand in it as they are counted: hashed under {@code privacy: hash}.
 */
public final class Permit {

    static final int NONCE_BYTES = 16;

    /** Longer texts are none of ours. */
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

    /** Reads a text; empty if it is none of ours. That it is one does not mean that anything is held. */
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

    /** The text, in letters, digits, {@code -} and {@code _}. */
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

    /** For how long all of it is held unless it is renewed: the shortest time to live of what it stands for. */
    public Duration ttl() {
        return Stream.concat(here.stream(), inStore.stream())
                .map(charge -> Duration.of(charge.limit().windowMicros(), ChronoUnit.MICROS))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** What is held in the process that handed it out. */
    List<Charge> here() {
        return here;
    }

    /** What is held in the shared store. */
    List<Charge> inStore() {
        return inStore;
    }

    /** The name under which so many permits are held. */
    static String holder(byte[] nonce, Concurrency limit, String key, long permits) {
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
            write((Concurrency) charge.limit(), charge.key(), charge.permits(), out);
        }
    }

    private static void write(Concurrency limit, String key, long permits, DataOutputStream out) throws IOException {
        out.writeUTF(limit.name());
        out.writeLong(limit.limit());
        out.writeLong(limit.windowMicros());
        out.writeUTF(key);
        out.writeLong(permits);
    }

    private static List<Charge> charges(byte[] nonce, DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        if (count > MOST_CHARGES) {
            throw new IOException("too many");
        }
        List<Charge> charges = new ArrayList<>(Math.min(count, 16));
        for (int i = 0; i < count; i++) {
            String name = in.readUTF();
            long most = in.readLong();
            Duration ttl = Duration.of(in.readLong(), ChronoUnit.MICROS);
            Concurrency limit = new Concurrency(name, most, ttl);
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
