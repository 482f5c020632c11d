import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

class Events {
  public static void main(String[] args) {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", "localhost:9092",
        "isolation.level", "read_committed",
        "auto.offset.reset", "earliest",
        "enable.auto.commit", false,
        "key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer",
        "value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
    try (var consumer = new KafkaConsumer<String, byte[]>(settings)) {
      var events = new TopicPartition("xrpl.mainnet.events", 0);
      consumer.assign(List.of(events));
      consumer.seek(events, Warehouse.nextOffset());
      while (true) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          byte[] value = record.value();
          int from = value[0] == 0 ? 5 : 0;
          String json = new String(value, from, value.length - from, StandardCharsets.UTF_8);
          Warehouse.store(json, record.offset() + 1);
        }
      }
    }
  }
}
