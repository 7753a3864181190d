package io.sluice.center.erase;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.personal.SubjectText;
import io.sluice.runtime.erasure.Subject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which texts name a subject. */
class SubjectTextTest {

    @ParameterizedTest
    @CsvSource({
        "u-17, u-17, true",
        "u-17, case of u-17., true",
        "u-17, (u-17), true",
        "u-17, mail=u-17&x, true",
        "u-17, u-171, false",
        "u-17, xu-17, false",
        "u-17, u_17, false",
        "u-17, U-17, false",
        "u-17, '', false",
        "17, user 17, false",
        "17, 17, true",
        "100, limit 100, true",
        "100, limit 1000, false",
        "@bob, mail to alice@bob, true",
        "王小明, 请删除王小明的数据, true",
        "zoë, über zoë!, true",
        "zoë, zoëe, false",
    })
    void textsHaveWholeWords(String value, String text, boolean named) {
        assertThat(of("user", value).isIn(text)).isEqualTo(named);
    }

    @Test
    void onlyStringsOfJsonNameASubject() {
        SubjectText subject = of("user", "u-17");
        assertThat(subject.isInJson("{\"a\":[{\"b\":\"u-17\"}]}")).isTrue();
        assertThat(of("user", "digest").isInJson("{\"digest\":\"ab\",\"rule\":{\"title\":1}}"))
                .isFalse();
        assertThat(subject.isInJson("{\"a\":\"for u-17 only\"}")).isTrue();
        assertThat(subject.isInJson("{\"a\":\"u-171\"}")).isFalse();
        assertThat(subject.isInJson("")).isFalse();
        assertThat(subject.isInJson("no json, but u-17")).isTrue();
        assertThat(of("user", "17").isInJson("{\"limit\":17}")).isFalse();
        assertThat(of("user", "170").isInJson("{\"limit\":170}")).isFalse();
        assertThat(of("user", "17").isInJson("{\"limit\":\"17\"}")).isTrue();
        assertThat(of("user", "a\"b\\c").isInJson("{\"x\":\"a\\\"b\\\\c\"}")).isTrue();
        assertThat(of("user", "zoë").isInJson("{\"x\":\"zo\\u00eb\"}")).isTrue();
    }

    @Test
    void anAddressHasSeveralSpellings() {
        SubjectText subject = of("ip", "2001:DB8:0::1");
        assertThat(subject.isCaller("ip", "2001:db8::1")).isTrue();
        assertThat(subject.isCaller("ip", "2001:db8::1/128")).isTrue();
        assertThat(subject.isCaller("ip", "2001:db8::/32")).isFalse();
        assertThat(subject.isIn("2001:0db8::0001")).isTrue();
        assertThat(subject.isIn("from 2001:db8::1 again")).isTrue();
        assertThat(of("ip", "192.0.2.7").isCaller("ip", "192.0.2.7/32")).isTrue();
        assertThat(of("ip", "192.0.2.7").isCaller("user", "192.0.2.7")).isFalse();
        assertThat(of("ip", "192.0.2.7").isIn("192.0.2.70")).isFalse();
    }

    @Test
    void namesOfHeadersHaveNoCase() {
        assertThat(of("header.X-User", "u-17").isCaller("header.x-user", "u-17"))
                .isTrue();
    }

    @Test
    void neverShowsTheValue() {
        assertThat(of("user", "u-17").toString()).doesNotContain("17");
    }

    private static SubjectText of(String attribute, String value) {
        return new SubjectText(new Subject(attribute, value, Map.of()));
    }
}
