package io.sluice.center.series;

class SqliteSeriesTest extends SeriesContract {

    @Override
    String url() {
        return "";
    }
}
