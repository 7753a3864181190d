package io.sluice.rules.reserve;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Label;
import io.sluice.rules.cost.AnswerAttribute;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The text of a reservation. It contains everything that is needed to settle, so no table of reservations is kept, and every node on
 * the same store accepts it. Whoever can invent such a text can give back permits that nobody has taken: seal it before it leaves
 * the process. It contains keys as they are counted: hashed under {@code privacy: hash}.
 */
public final class ReservationText {

    /** The longest text of a reservation. */
    public static final int LONGEST = 32 * 1024;

    private static final int FORM = 1;
    private static final int MOST_LIMITS = 1_000;
    private static final char TOKEN_BUCKET = 't';
    private static final char WINDOW = 'w';
    private static final char CALENDAR = 'c';
    private static final char SLIDING = 's';
    private static final char LOG = 'l';

    private ReservationText() {}

    /**
     * Returns the text. It consists of letters, digits, {@code -} and {@code _}. Empty if the text would be longer than
     * {@link #LONGEST}, because of many limits or long keys.
     */
    public static Optional<String> write(Reservation reservation) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORM);
            out.writeUTF(reservation.id());
            out.writeUTF(reservation.issuer());
            out.writeShort(reservation.limits().size());
            for (ReservedLimit limit : reservation.limits()) {
                write(limit, out);
            }
        } catch (UTFDataFormatException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return reservation.limits().size() > MOST_LIMITS || bytes.size() > LONGEST / 4 * 3
                ? Optional.empty()
                : Optional.of(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray()));
    }

    /** Parses a text. Returns empty if it is not one of a reservation. */
    public static Optional<Reservation> read(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
            if (in.readByte() != FORM) {
                return Optional.empty();
            }
            String id = in.readUTF();
            String issuer = in.readUTF();
            int count = in.readUnsignedShort();
            if (count > MOST_LIMITS) {
                return Optional.empty();
            }
            List<ReservedLimit> limits = new ArrayList<>(Math.min(count, 16));
            for (int i = 0; i < count; i++) {
                limits.add(readLimit(in));
            }
            return in.available() == 0 ? Optional.of(new Reservation(id, issuer, limits)) : Optional.empty();
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static void write(ReservedLimit limit, DataOutputStream out) throws IOException {
        out.writeUTF(limit.label().rule());
        out.writeUTF(limit.label().limit());
        out.writeUTF(limit.label().mode());
        write(limit.limit(), out);
        out.writeUTF(limit.key());
        out.writeLong(limit.reserved());
        out.writeLong(limit.chargedAtMicros());
        out.writeLong(limit.within().toMillis());
        AnswerAttribute by = limit.by();
        out.writeUTF(by == null ? "" : by.toString());
        out.writeBoolean(limit.inStore());
    }

    private static ReservedLimit readLimit(DataInputStream in) throws IOException {
        Label label = new Label(in.readUTF(), in.readUTF(), in.readUTF());
        return new ReservedLimit(
                label,
                readNumbers(in),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                Duration.ofMillis(in.readLong()),
                answer(in.readUTF()),
                in.readBoolean());
    }

    private static @Nullable AnswerAttribute answer(String text) {
        return text.isEmpty() ? null : AnswerAttribute.parse(text);
    }

    private static void write(Limit limit, DataOutputStream out) throws IOException {
        out.writeUTF(limit.name());
        if (limit instanceof TokenBucket bucket) {
            out.writeByte(TOKEN_BUCKET);
            out.writeLong(bucket.rate().permits());
            out.writeLong(bucket.rate().perMicros());
            out.writeLong(bucket.burst());
        } else if (limit instanceof FixedWindow window) {
            Calendar calendar = window.calendar();
            ZoneId zone = window.zone();
            out.writeByte(calendar == null || zone == null ? WINDOW : CALENDAR);
            out.writeLong(window.capacity());
            if (calendar == null || zone == null) {
                out.writeLong(window.windowMicros());
            } else {
                out.writeUTF(calendar.word().toUpperCase(Locale.ROOT));
                out.writeUTF(zone.getId());
            }
        } else if (limit instanceof SlidingWindow window) {
            out.writeByte(SLIDING);
            out.writeLong(window.capacity());
            out.writeLong(window.windowMicros());
            out.writeInt(window.slices());
            out.writeBoolean(window.weighted());
        } else {
            out.writeByte(LOG);
            out.writeLong(limit.capacity());
            out.writeLong(limit.windowMicros());
        }
    }

    private static Limit readNumbers(DataInputStream in) throws IOException {
        Limit.Named named = Limit.named(in.readUTF());
        char kind = (char) in.readByte();
        long most = in.readLong();
        return switch (kind) {
            case TOKEN_BUCKET -> named.tokenBucket(new Rate(most, span(in))).withBurst(in.readLong());
            case WINDOW -> named.fixedWindow(most, span(in));
            case CALENDAR ->
                named.fixedWindow(most, Calendar.of(in.readUTF().toLowerCase(Locale.ROOT)), ZoneId.of(in.readUTF()));
            case SLIDING -> new SlidingWindow(named.name(), most, span(in), in.readInt(), in.readBoolean());
            case LOG -> new SlidingLog(named.name(), most, span(in));
            default -> throw new IOException("no kind of limit: " + (int) kind);
        };
    }

    private static Duration span(DataInputStream in) throws IOException {
        return Duration.of(in.readLong(), ChronoUnit.MICROS);
    }
}
