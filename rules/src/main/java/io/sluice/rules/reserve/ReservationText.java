package io.sluice.rules.reserve;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Label;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.side.Side;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The text of a reservation. It contains all data that a settlement needs, so no table of reservations is kept, and every node on the same
 * store accepts it. With an invented text, a caller could give back permits that were never taken: seal the text before it leaves the
 * process. It contains keys as they are counted: hashed under {@code privacy: hash}.
 *
 * <p>Form 1 of the text knows this process and the store only. Every version of the program reads it, so a reservation has form 1 unless
 * other sides hold a count. Form 2 names the side of each count.
 */
public final class ReservationText {

    /** The maximum length of the text of a reservation. */
    public static final int LONGEST = 32 * 1024;

    private static final int PROCESS_AND_STORE = 1;
    private static final int NAMED_SIDES = 2;
    private static final int MOST_LIMITS = 1_000;

    /** The written form of a limit, after a letter. Limits that cannot be settled have no form. */
    private enum Form {
        TOKEN_BUCKET('t', Algorithm.TOKEN_BUCKET, Parameter.RATE, Parameter.BURST),
        WINDOW('w', Algorithm.FIXED_WINDOW, Parameter.LIMIT, Parameter.WINDOW),
        CALENDAR('c', Algorithm.FIXED_WINDOW, Parameter.LIMIT, Parameter.ALIGN, Parameter.ZONE),
        SLIDING('s', Algorithm.SLIDING_WINDOW, Parameter.LIMIT, Parameter.WINDOW, Parameter.SLICES, Parameter.WEIGHTED),
        LOG('l', Algorithm.SLIDING_LOG, Parameter.LIMIT, Parameter.WINDOW);

        private final char letter;
        private final Algorithm algorithm;

        @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot be changed
        private final List<Parameter> parameters;

        Form(char letter, Algorithm algorithm, Parameter... parameters) {
            this.letter = letter;
            this.algorithm = algorithm;
            this.parameters = List.of(parameters);
        }

        static Form of(Algorithm algorithm, Set<Parameter> parameters) {
            for (Form form : values()) {
                if (form.algorithm == algorithm && parameters.containsAll(form.parameters)) {
                    return form;
                }
            }
            throw new IllegalArgumentException(
                    "limit: " + algorithm.word() + " (expected: an algorithm whose permits can be settled)");
        }
    }

    private ReservationText() {}

    /**
     * Returns the text, which consists of letters, digits, {@code -} and {@code _}. Returns empty if the text would be longer than {@link
     * #LONGEST}, because of many limits or long keys.
     */
    public static Optional<String> write(Reservation reservation) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            int form = form(reservation);
            out.writeByte(form);
            out.writeUTF(reservation.id());
            out.writeUTF(reservation.issuer());
            out.writeShort(reservation.limits().size());
            for (ReservedLimit limit : reservation.limits()) {
                write(limit, form, out);
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

    /** Parses a text. Returns empty if it is not the text of a reservation. */
    public static Optional<Reservation> read(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
            int form = in.readByte();
            if (form != PROCESS_AND_STORE && form != NAMED_SIDES) {
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
                limits.add(readLimit(form, in));
            }
            return in.available() == 0 ? Optional.of(new Reservation(id, issuer, limits)) : Optional.empty();
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static int form(Reservation reservation) {
        for (ReservedLimit limit : reservation.limits()) {
            if (!limit.side().equals(Side.PROCESS) && !limit.side().equals(Side.STORE)) {
                return NAMED_SIDES;
            }
        }
        return PROCESS_AND_STORE;
    }

    private static void write(ReservedLimit limit, int form, DataOutputStream out) throws IOException {
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
        if (form == PROCESS_AND_STORE) {
            out.writeBoolean(limit.side().equals(Side.STORE));
        } else {
            out.writeUTF(limit.side());
        }
    }

    private static ReservedLimit readLimit(int form, DataInputStream in) throws IOException {
        Label label = new Label(in.readUTF(), in.readUTF(), in.readUTF());
        return new ReservedLimit(
                label,
                readNumbers(in),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                Duration.ofMillis(in.readLong()),
                answer(in.readUTF()),
                readSide(form, in));
    }

    private static String readSide(int form, DataInputStream in) throws IOException {
        return form == NAMED_SIDES ? in.readUTF() : in.readBoolean() ? Side.STORE : Side.PROCESS;
    }

    private static @Nullable AnswerAttribute answer(String text) {
        return text.isEmpty() ? null : AnswerAttribute.parse(text);
    }

    private static void write(Limit limit, DataOutputStream out) throws IOException {
        Map<Parameter, Object> values = limit.parameters();
        Form form = Form.of(limit.kind(), values.keySet());
        out.writeUTF(limit.name());
        out.writeByte(form.letter);
        for (Parameter parameter : form.parameters) {
            write(parameter, Objects.requireNonNull(values.get(parameter)), out);
        }
    }

    private static void write(Parameter parameter, Object value, DataOutputStream out) throws IOException {
        switch (parameter) {
            case RATE -> {
                out.writeLong(((Rate) value).permits());
                out.writeLong(((Rate) value).perMicros());
            }
            case BURST, CAPACITY, LIMIT -> out.writeLong((Long) value);
            case SLICES -> out.writeInt(((Long) value).intValue());
            case MAX_WAIT, WINDOW, TTL -> out.writeLong(TimeUnit.MICROSECONDS.convert((Duration) value));
            case ALIGN -> out.writeUTF(((Calendar) value).word().toUpperCase(Locale.ROOT));
            case ZONE -> out.writeUTF(((ZoneId) value).getId());
            case WEIGHTED -> out.writeBoolean((Boolean) value);
        }
    }

    private static Limit readNumbers(DataInputStream in) throws IOException {
        String name = in.readUTF();
        int letter = in.readByte();
        for (Form form : Form.values()) {
            if (form.letter == letter) {
                Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
                for (Parameter parameter : form.parameters) {
                    values.put(parameter, value(parameter, in));
                }
                return form.algorithm.limit(name, values);
            }
        }
        throw new IOException("no kind of limit: " + letter);
    }

    private static Object value(Parameter parameter, DataInputStream in) throws IOException {
        return switch (parameter) {
            case RATE -> new Rate(in.readLong(), span(in));
            case BURST, CAPACITY, LIMIT -> in.readLong();
            case SLICES -> (long) in.readInt();
            case MAX_WAIT, WINDOW, TTL -> span(in);
            case ALIGN -> Calendar.of(in.readUTF().toLowerCase(Locale.ROOT));
            case ZONE -> ZoneId.of(in.readUTF());
            case WEIGHTED -> in.readBoolean();
        };
    }

    private static Duration span(DataInputStream in) throws IOException {
        return Duration.of(in.readLong(), ChronoUnit.MICROS);
    }
}
