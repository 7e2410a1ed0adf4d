// Forwards Ethernet frames between two interfaces like a path with delay, jitter and loss, or a narrow link. Some kernels have no netem.
//
//   path-emulator ONE OTHER [SEED]
//
// Each line on standard input sets what holds from then on in both directions, and is answered with "ok":
//   delay MS  jitter MS  loss PERCENT  burst FRAMES  reorder PERCENT  rate KBIT  queue MS
// A delay varies by up to the jitter in either direction; frames keep their order. `burst` is how many are lost in a row on average, with 1 each by
// itself. Reordered frames take 15 ms longer and are overtaken. A rate of 0 has no limit; frames that would wait longer than the queue are dropped.
// ARP is never lost. The line "report" is answered with what happened since the last one, for the direction from ONE and the other:
//   [{"bytes": passed, "datagramBytes": those of UDP, "dropped": frames of a full queue, "waits": [frames that waited less than 10 ms for the rate, 20 ms, …], "longMs": longest time with waits over 500 ms,
//   "ports": {"a sender's port of UDP": bytes that passed, …}}, …]
// The end of the input ends the program.
#define _GNU_SOURCE
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 16384, FRAME = 2048, LATER = 15000000, LONG = 500000000, WAITS = 300, PORTS = 256 };  // LATER and LONG in ns

typedef struct {
    int64_t due;  // ns
    int length;
    uint8_t bytes[FRAME];
} Frame;

// Frames in the order in which they are due.
typedef struct {
    Frame *frames;
    unsigned first, count;
} Ring;

// What passed since the last report. `longSince` is when the first frame came that waited too long, while all do.
typedef struct {
    uint64_t bytes, datagramBytes, portBytes[PORTS];
    uint16_t ports[PORTS];
    unsigned portCount, dropped, waits[WAITS];
    int64_t longSince, longest;
} Report;

// One direction. `late` are the frames that are overtaken: all take the same time longer, so they keep their order, too.
typedef struct {
    int in, out, isLosing;
    int64_t linkFree, lastDue;
    Ring frames, late;
    Report report;
} Direction;

static double delay, jitter, loss, burst = 1, reorder, rate, queueMs = 200;
static uint64_t seed = 88172645463325252u;

// xorshift64, 0 to 1: the same seed gives the same losses.
static double chance(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int openInterface(const char *name) {
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    address.sll_ifindex = (int)if_nametoindex(name);
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
    if (descriptor < 0 || !address.sll_ifindex || bind(descriptor, (struct sockaddr *)&address, sizeof address)) {
        perror(name);
        exit(1);
    }
    int size = 8 << 20;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    struct packet_mreq all = {.mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
    setsockopt(descriptor, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all);
    return descriptor;
}

// With bursts a loss begins as rarely as gives the wanted share of lost frames.
static int isLost(Direction *direction) {
    double share = loss / 100;
    if (burst <= 1 || share >= 1) return chance() < share;
    double begins = share / (burst * (1 - share)), goesOn = 1 - 1 / burst;
    return direction->isLosing = chance() < (direction->isLosing ? goesOn : begins);
}

static int isFull(const Ring *ring) { return ring->count == CAPACITY; }

// Where the header of UDP begins; 0 for another protocol. IPv6 packets with extension headers have none here.
static ssize_t datagram(const uint8_t *bytes, ssize_t length) {
    enum { UDP = 17, IPV4 = ETH_HLEN + 9, IPV6 = ETH_HLEN + 6, LEAST = ETH_HLEN + 20 + 8 };
    if (length < LEAST) return 0;
    if (bytes[12] == 0x08 && bytes[13] == 0x00 && bytes[IPV4] == UDP) return ETH_HLEN + (bytes[ETH_HLEN] & 15) * 4;
    return bytes[12] == 0x86 && bytes[13] == 0xdd && bytes[IPV6] == UDP ? ETH_HLEN + 40 : 0;
}

// Ports beyond the first ones are not counted.
static void notePort(Report *report, uint16_t port, ssize_t length) {
    unsigned i = 0;
    while (i < report->portCount && report->ports[i] != port) i++;
    if (i == PORTS) return;
    if (i == report->portCount) report->ports[report->portCount++] = port;
    report->portBytes[i] += (uint64_t)length;
}

static void note(Report *report, int64_t time, int64_t wait, const uint8_t *bytes, ssize_t length) {
    int64_t bin = wait / 10000000;
    report->waits[bin < WAITS ? bin : WAITS - 1]++;
    report->bytes += (uint64_t)length;
    ssize_t udp = datagram(bytes, length);
    if (udp && udp + 2 <= length) {
        report->datagramBytes += (uint64_t)length;
        notePort(report, (uint16_t)(bytes[udp] << 8 | bytes[udp + 1]), length);
    }
    if (wait <= LONG) report->longSince = 0;
    else if (!report->longSince) report->longSince = time;
    else if (time - report->longSince > report->longest) report->longest = time - report->longSince;
}

static void print(Report *report) {
    printf("{\"bytes\": %llu, \"datagramBytes\": %llu, \"dropped\": %u, \"longMs\": %lld, \"waits\": [", (unsigned long long)report->bytes,
        (unsigned long long)report->datagramBytes, report->dropped, (long long)report->longest / 1000000);
    for (int i = 0; i < WAITS; i++) printf(i ? ", %u" : "%u", report->waits[i]);
    printf("], \"ports\": {");
    for (unsigned i = 0; i < report->portCount; i++)
        printf("%s\"%u\": %llu", i ? ", " : "", report->ports[i], (unsigned long long)report->portBytes[i]);
    printf("}}");
    int64_t longSince = report->longSince;
    memset(report, 0, sizeof *report);
    report->longSince = longSince;
}

static void receive(Direction *direction) {
    for (int many = 0; many < 64 && !isFull(&direction->frames) && !isFull(&direction->late); many++) {
        Ring *ring = chance() * 100 < reorder ? &direction->late : &direction->frames;
        Frame *frame = &ring->frames[(ring->first + ring->count) % CAPACITY];
        struct sockaddr_ll from;
        socklen_t size = sizeof from;
        ssize_t length = recvfrom(direction->in, frame->bytes, FRAME, MSG_TRUNC, (struct sockaddr *)&from, &size);
        if (length < 0) return;
        if (from.sll_pkttype == PACKET_OUTGOING || length > FRAME || length < ETH_HLEN) continue;
        int isArp = frame->bytes[12] == 0x08 && frame->bytes[13] == 0x06;
        if (!isArp && isLost(direction)) continue;
        int64_t time = now(), due = time, queued = 0;
        if (rate > 0) {
            if (direction->linkFree < time) direction->linkFree = time;
            queued = direction->linkFree - time;
            if ((double)queued > queueMs * 1e6) {
                direction->report.dropped++;
                continue;
            }
            direction->linkFree += (int64_t)((double)length * 8e6 / rate);
            due = direction->linkFree;
        }
        note(&direction->report, time, queued, frame->bytes, length);
        double wait = delay + (2 * chance() - 1) * jitter;
        due += (int64_t)((wait > 0 ? wait : 0) * 1e6);
        if (due > direction->lastDue) direction->lastDue = due;
        frame->due = direction->lastDue + (ring == &direction->late ? LATER : 0);
        frame->length = (int)length;
        ring->count++;
    }
}

static void forward(Ring *ring, int out) {
    while (ring->count && ring->frames[ring->first].due <= now()) {
        Frame *frame = &ring->frames[ring->first];
        // A full interface loses the frame, as a real one does.
        (void)!send(out, frame->bytes, (size_t)frame->length, 0);
        ring->first = (ring->first + 1) % CAPACITY;
        ring->count--;
    }
}

// The earlier one of `next` and the moment at which the first frame is due.
static int64_t due(const Ring *ring, int64_t next) {
    return ring->count && ring->frames[ring->first].due < next ? ring->frames[ring->first].due : next;
}

static void answer(char *line, Direction *directions) {
    if (!strcmp(line, "report")) {
        putchar('[');
        print(&directions[0].report);
        printf(", ");
        print(&directions[1].report);
        puts("]");
        fflush(stdout);
        return;
    }
    struct { const char *name; double *value; } settings[] = {
        {"delay", &delay}, {"jitter", &jitter}, {"loss", &loss}, {"burst", &burst}, {"reorder", &reorder},
        {"rate", &rate}, {"queue", &queueMs},
    };
    for (char *name = strtok(line, " "), *value; name && (value = strtok(NULL, " ")); name = strtok(NULL, " "))
        for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
            if (!strcmp(settings[i].name, name)) *settings[i].value = atof(value);
    puts("ok");
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: path-emulator ONE OTHER [SEED]\n");
        return 2;
    }
    if (count > 3) seed ^= strtoull(arguments[3], NULL, 10) * 0x9E3779B97F4A7C15u;
    int one = openInterface(arguments[1]), other = openInterface(arguments[2]);
    Direction directions[] = {{.in = one, .out = other}, {.in = other, .out = one}};
    for (int i = 0; i < 2; i++) {
        directions[i].frames.frames = calloc(CAPACITY, sizeof(Frame));
        directions[i].late.frames = calloc(CAPACITY, sizeof(Frame));
    }
    char line[512];
    size_t filled = 0;
    for (;;) {
        int64_t time = now(), next = time + 1000000000;
        for (int i = 0; i < 2; i++) next = due(&directions[i].late, due(&directions[i].frames, next));
        int64_t pause = next > time ? next - time : 0;
        struct timespec timeout = {.tv_sec = pause / 1000000000, .tv_nsec = pause % 1000000000};
        // A full direction takes nothing until its first frame is due.
        struct pollfd inputs[] = {{one, 0, 0}, {other, 0, 0}, {STDIN_FILENO, POLLIN, 0}};
        for (int i = 0; i < 2; i++)
            inputs[i].events = isFull(&directions[i].frames) || isFull(&directions[i].late) ? 0 : POLLIN;
        ppoll(inputs, 3, &timeout, NULL);
        for (int i = 0; i < 2; i++) {
            if (inputs[i].revents) receive(&directions[i]);
            forward(&directions[i].frames, directions[i].out);
            forward(&directions[i].late, directions[i].out);
        }
        if (!inputs[2].revents) continue;
        ssize_t read_ = read(STDIN_FILENO, line + filled, sizeof line - 1 - filled);
        if (read_ <= 0) return 0;
        filled += (size_t)read_;
        line[filled] = 0;
        char *end = strchr(line, '\n');
        if (end || filled == sizeof line - 1) {
            if (end) *end = 0;
            answer(line, directions);
            filled = 0;
        }
    }
}
