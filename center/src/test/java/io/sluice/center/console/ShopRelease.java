package io.sluice.center.console;

import java.time.Duration;
import java.util.List;

/**
 * A release of the shop's rules.
 *
 * @param ago when it was, before now
 * @param who released it
 * @param edits of the rules, with single quotes
 * @param isProtected whether somebody has to approve it
 */
record ShopRelease(Duration ago, String who, String title, String reason, String edits, boolean isProtected) {

    /** Returns the releases after the first one, oldest first. */
    static List<ShopRelease> all() {
        return List.of(
                of(
                        11,
                        "wei",
                        "Search: 5,000 a minute for each tenant",
                        "suggestions moved to their own rule",
                        put(search(5_000)),
                        false),
                of(
                        9,
                        "jonas",
                        "Orders: 500,000 a day for each tenant",
                        "contract with Initech",
                        put(orders(12)),
                        false),
                of(
                        8,
                        "wei",
                        "Payments: 25 a day for each customer",
                        "fraud team, ticket FR-2174",
                        put(payments(5, 25)),
                        true),
                of(
                        7,
                        "wei",
                        "Catalog: larger bursts",
                        "the new start page loads 60 products at once",
                        put(
                                "{'id':'catalog','name':'Catalog pages','service':'catalog-service','resource':'/api/catalog/**',"
                                        + "'methods':['GET'],'labels':{'team':'discovery'},'mode':'local_distributed',"
                                        + "'limits':[{'by':'ip','rate':'60/s','burst':240}]}"),
                        false),
                of(
                        5,
                        "mara",
                        "Ban a botnet",
                        "incident 309: password guessing from two networks",
                        put(
                                "{'id':'banned','name':'Addresses of a botnet','match':{'ip':['198.51.100.0/24','192.0.2.128/25',"
                                        + "'203.0.113.240/28']},'action':'deny','labels':{'team':'edge'}}"),
                        false),
                of(
                        4,
                        "jonas",
                        "Carts: a stricter limit as a candidate",
                        "how many customers would notice 8 a second?",
                        put(cart(20)),
                        false),
                of(
                        3,
                        "wei",
                        "Reviews: 5 a day",
                        "spam in reviews of shoes",
                        put("{'id':'reviews','name':'Reviews of products','service':'catalog-service',"
                                + "'resource':'/api/products/{id}/reviews','methods':['POST'],'labels':{'team':'discovery'},"
                                + "'limits':[{'by':'user','limit':5,'window':'1d'},{'id':'product','by':['user','path'],"
                                + "'limit':1,'window':'1d'}]}"),
                        false),
                of(
                        2,
                        "jonas",
                        "Coupons: 2 guesses in 10 minutes",
                        "somebody tries all codes",
                        put("{'id':'coupons','name':'Guessing of coupons','service':'cart-service',"
                                + "'resource':'/api/coupons/{code}','labels':{'team':'orders'},"
                                + "'limits':[{'by':'user','limit':2,'window':'10m'}]}"),
                        false));
    }

    private static ShopRelease of(
            int days, String who, String title, String reason, String edits, boolean isProtected) {
        return new ShopRelease(Duration.ofDays(days).minusMinutes(37L * days), who, title, reason, edits, isProtected);
    }

    private static String put(String rule) {
        return "{'put':" + rule + "}";
    }

    static String search(int limit) {
        return "{'id':'search','name':'Search by tenant','service':'search-service','resource':'/api/search',"
                + "'methods':['GET'],'labels':{'team':'discovery'},'limits':[{'id':'tenant','by':'tenant','limit':"
                + limit
                + ",'window':'1m'},{'id':'user','by':'user','rate':'5/s','burst':15}]}";
    }

    static String cart(int rate) {
        return "{'id':'cart','name':'Changes of carts','service':'cart-service','resource':'/api/cart/**',"
                + "'labels':{'team':'orders'},'limits':[{'id':'user','by':'user','rate':'" + rate + "/s','burst':"
                + 2 * rate
                + "}],'candidate':[{'id':'user','by':'user','rate':'8/s','burst':16}]}";
    }

    static String orders(int rate) {
        return "{'id':'orders','name':'Orders by customer','service':'order-service','resource':'/api/orders/**',"
                + "'labels':{'team':'orders','tier':'critical'},'mode':'local_distributed','limits':[{'id':'user','by':'user',"
                + "'rate':'" + rate + "/s','burst':20},{'id':'tenant','by':'tenant','limit':500000,'window':'1d'}],"
                + "'overrides':[{'when':{'plan':'vip'},'of':'user','rate':'50/s','burst':100}]}";
    }

    static String payments(int card, int user) {
        return "{'id':'payments','name':'Payments','service':'payment-service','resource':'/api/payments',"
                + "'methods':['POST'],'protected':true,'labels':{'team':'payments','tier':'critical','pci':'yes'},"
                + "'on_failure':'closed','limits':[{'id':'card','by':'json.card_hash','limit':" + card
                + ",'window':'1h'},{'id':'user','by':'user','limit':" + user + ",'window':'1d'}]}";
    }
}
