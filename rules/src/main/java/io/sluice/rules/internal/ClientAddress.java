package io.sluice.rules.internal;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Addresses in one spelling each: IPv4 without leading zeros, IPv4-mapped IPv6 as IPv4, IPv6 in eight plain groups without a
 * zone. What is no address stays as it is. Never asks a name server.
 */
public final class ClientAddress {

    private static final Pattern V4 =
            Pattern.compile("0*([0-9]{1,3})\\.0*([0-9]{1,3})\\.0*([0-9]{1,3})\\.0*([0-9]{1,3})");
    private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final int LONGEST = 100;
    private static final int NETWORK_BYTES = 8;

    private ClientAddress() {}

    public static String normalised(String text) {
        String trimmed = text.strip();
        if (trimmed.length() > LONGEST) {
            return text;
        }
        var v4 = V4.matcher(trimmed);
        if (v4.matches()) {
            StringBuilder plain = new StringBuilder();
            for (int i = 1; i <= 4; i++) {
                int octet = Integer.parseInt(v4.group(i));
                if (octet > 255) {
                    return text;
                }
                plain.append(i == 1 ? "" : ".").append(octet);
            }
            return plain.toString();
        }
        int zone = trimmed.indexOf('%');
        String withoutZone = zone < 0 ? trimmed : trimmed.substring(0, zone);
        return V6.matcher(withoutZone).matches() ? v6(withoutZone, text) : text;
    }

    /** What counts for a normalised address: all of IPv4, the /64 of IPv6. */
    public static String counted(String normalised) {
        if (normalised.indexOf(':') < 0 || !V6.matcher(normalised).matches()) {
            return normalised;
        }
        try {
            byte[] bytes = InetAddress.getByName(normalised).getAddress();
            Arrays.fill(bytes, Math.min(NETWORK_BYTES, bytes.length), bytes.length, (byte) 0);
            return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
        } catch (UnknownHostException e) {
            return normalised;
        }
    }

    private static String v6(String literal, String otherwise) {
        try {
            InetAddress address = InetAddress.getByName(literal);
            return address instanceof Inet4Address
                    ? address.getHostAddress()
                    : InetAddress.getByAddress(address.getAddress()).getHostAddress();
        } catch (UnknownHostException e) {
            return otherwise;
        }
    }
}
