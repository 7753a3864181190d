package io.sluice.rules;

import io.sluice.rules.internal.ClientAddress;
import io.sluice.rules.yaml.Shown;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Stand-in until the real one is merged. */
@SuppressWarnings("ArrayRecordComponent")
public record Network(byte[] address, int prefixLength) {

    public static Network parse(String text) {
        int slash = text.indexOf('/');
        String address = ClientAddress.normalised(slash < 0 ? text : text.substring(0, slash));
        try {
            if (!address.matches("[0-9a-fA-F:.]+")) {
                throw new IllegalArgumentException("network: " + Shown.text(text) + " (expected: an address or block)");
            }
            byte[] bytes = InetAddress.getByName(address).getAddress();
            int length = slash < 0 ? bytes.length * 8 : Integer.parseInt(text.substring(slash + 1));
            return new Network(bytes, length);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("network: " + Shown.text(text) + " (expected: an address or block)", e);
        }
    }

    public boolean contains(byte[] other) {
        if (other.length != address.length) {
            return false;
        }
        for (int i = 0; i < prefixLength; i++) {
            int bit = 0x80 >> (i & 7);
            if ((address[i >> 3] & bit) != (other[i >> 3] & bit)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Network network && toString().equals(network.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        try {
            return InetAddress.getByAddress(address).getHostAddress() + "/" + prefixLength;
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
