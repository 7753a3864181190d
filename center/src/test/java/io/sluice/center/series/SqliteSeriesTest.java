package io.sluice.center.series;

class SqliteSeriesTest extends SeriesContract {

    @Override
    String url() {
        return "";
    }

    @Override
    int seconds() {
        return 2 * 3_600 + 900;
    }
}
