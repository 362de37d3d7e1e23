/**
 * The leader's ends of its links: takes the requests of the nodes that follow, and says how far the
 * log is. A node that comes back is welcomed when everything that it sent before has its outcome:
 * then what is not in the log will never be.
 */
import { type EnginePort, MalformedBytes, refuseAll, submissionsIn } from "../protocol/index.ts";
import {
  LINK_VERSION,
  type LinkEnd,
  type LinkListener,
  type LinkMessage,
  LinkOutbox,
  readLinkMessages,
} from "./link-messages.ts";

export interface Leading {
  readonly node: string;
  readonly epoch: number;
  /** Answers while the lease lasts. */
  readonly engine: EnginePort;
  readonly durableSequence: () => number;
  /** Calls back when an answer may leave that rests on this node's state alone. */
  readonly whenMayAnswer: (answer: () => void) => void;
  /** Counts a request as `charge` says; false when that is too many. */
  readonly admit: (charge: string) => boolean;
  /** What another node has admitted. */
  readonly admitted: (admitted: string) => void;
  /** Answers what is no request of the engine's; without an answer the asker tries again. */
  readonly answer: (question: string) => Promise<string>;
}

/** A node that follows: its link, and what came over all of its links so far. */
interface Follower {
  session: Session | null;
  /** Requests that are not answered. */
  taken: number;
  /** Calls back when none is left. */
  settled: (() => void) | null;
}

interface Session {
  readonly end: LinkEnd;
  readonly outbox: LinkOutbox;
  /** Numbers of the requests that are not answered, in their order. */
  readonly open: Set<number>;
  /** Whoever asks where the log is waits for the requests before. */
  readonly asking: { readonly before: number; readonly answer: () => void }[];
  requests: number;
  follower: Follower | null;
  /** The node's name, from its hello on. */
  node: string;
  /** By their id. */
  readonly untils: Map<number, () => void>;
}

type Submit = Extract<LinkMessage, { readonly kind: "submit" }>;

export class LeaderSessions {
  readonly #soon: (run: () => void) => void;
  readonly #followers = new Map<string, Follower>();
  readonly #sessions = new Set<Session>();
  /** Until then, whoever says hello waits. */
  #leading: Leading | null = null;
  #untils = 0;

  constructor(soon: (run: () => void) => void) {
    this.#soon = soon;
  }

  lead(leading: Leading): void {
    this.#leading = leading;
    for (const session of this.#sessions) this.#welcome(session);
  }

  /** A node has opened a link. */
  accept(end: LinkEnd): LinkListener {
    const outbox = new LinkOutbox(end, this.#soon);
    const session: Session = {
      end,
      outbox,
      open: new Set(),
      asking: [],
      requests: 0,
      follower: null,
      node: "",
      untils: new Map(),
    };
    this.#sessions.add(session);
    return {
      message: (bytes) => {
        if (!this.#sessions.has(session)) return;
        for (const message of readLinkMessages(bytes)) this.#take(session, message);
      },
      ended: () => this.#end(session),
    };
  }

  /** To all nodes, so that they know that this one is there. */
  beat(): void {
    for (const { outbox } of this.#sessions) outbox.say({ kind: "beat" });
  }

  /** What was admitted here, or by another node, to all others. */
  tell(admitted: string, by: Session | null = null): void {
    for (const session of this.#sessions) {
      if (session !== by && session.follower !== null) {
        session.outbox.say({ kind: "limits", admitted });
      }
    }
  }

  /**
   * Resolves with the names of the nodes that have applied this command, keys included, when each
   * of those that are linked has, or is not linked any more.
   */
  async reached(sequence: number): Promise<readonly string[]> {
    const names: string[] = [];
    const asked = [...this.#sessions].filter(({ follower }) => follower !== null);
    await Promise.all(
      asked.map(async (session) => {
        const id = ++this.#untils;
        const isReached = await new Promise<boolean>((resolve) => {
          session.untils.set(id, () => resolve(this.#sessions.has(session)));
          session.outbox.say({ kind: "until", id, sequence });
        });
        if (isReached) names.push(session.node);
      }),
    );
    return names;
  }

  /** Ends all links: whoever follows looks for another leader. */
  close(): void {
    this.#leading = null;
    for (const session of [...this.#sessions]) this.#drop(session);
  }

  #drop(session: Session): void {
    session.end.end();
    this.#end(session);
  }

  #end(session: Session): void {
    if (!this.#sessions.delete(session)) return;
    if (session.follower?.session === session) session.follower.session = null;
    for (const until of session.untils.values()) until();
  }

  #take(session: Session, message: LinkMessage): void {
    if (!this.#sessions.has(session)) return;
    switch (message.kind) {
      case "hello":
        this.#hello(session, message.version, message.node);
        return;
      case "submit":
        this.#submit(session, message);
        return;
      case "where":
        this.#answerWhere(session);
        return;
      case "limits":
        this.#leading?.admitted(message.admitted);
        this.tell(message.admitted, session);
        return;
      case "ask":
        this.#answer(session, message.id, message.question);
        return;
      case "reached":
        session.untils.get(message.id)?.();
        session.untils.delete(message.id);
        return;
      default:
        throw new MalformedBytes(`a node that follows said ${message.kind}`);
    }
  }

  #hello(session: Session, version: number, node: string): void {
    if (version !== LINK_VERSION) {
      this.#drop(session);
      return;
    }
    session.node = node;
    this.#welcome(session);
  }

  #welcome(session: Session): void {
    const leading = this.#leading;
    if (leading === null || session.node === "") return;
    const follower = this.#followers.get(session.node) ?? newFollower();
    this.#followers.set(session.node, follower);
    // Nothing more is taken from the link before.
    if (follower.session !== null && follower.session !== session) this.#drop(follower.session);
    follower.session = session;
    const welcome = (): void => {
      if (follower.session !== session) return;
      session.follower = follower;
      const { durableSequence, epoch, node } = leading;
      session.outbox.say({ kind: "welcome", node, epoch, sequence: durableSequence() });
    };
    if (follower.taken === 0) welcome();
    else follower.settled = welcome;
  }

  #submit(session: Session, { charge, id, request }: Submit): void {
    const { follower, open, outbox } = session;
    const leading = this.#leading;
    if (follower === null || leading === null) return;
    if (charge !== "" && !leading.admit(charge)) {
      const answer = refuseAll(submissionsIn(request), "rate-limited");
      outbox.say({ kind: "answer", id, sequence: 0, answer });
      return;
    }
    const number = ++session.requests;
    open.add(number);
    follower.taken++;
    leading.engine.submit(request, (answer) => {
      outbox.say({ kind: "answer", id, sequence: leading.durableSequence(), answer });
      open.delete(number);
      answerAsking(session);
      follower.taken--;
      if (follower.taken > 0) return;
      follower.settled?.();
      follower.settled = null;
    });
  }

  #answer({ follower, outbox }: Session, id: number, question: string): void {
    if (follower === null) return;
    this.#leading?.answer(question).then(
      (answer) => outbox.say({ kind: "told", id, answer }),
      // The asker's time is over by itself.
      () => undefined,
    );
  }

  /** With what the node sent before: a read on a connection sees the order before it. */
  #answerWhere(session: Session): void {
    const leading = this.#leading;
    if (leading === null) return;
    const answer = (): void =>
      leading.whenMayAnswer(() => {
        session.outbox.say({ kind: "here", sequence: leading.durableSequence() });
      });
    session.asking.push({ before: session.requests, answer });
    answerAsking(session);
  }
}

function answerAsking({ asking, open }: Session): void {
  if (asking.length === 0) return;
  const [oldest = Number.POSITIVE_INFINITY] = open;
  while (asking[0] !== undefined && asking[0].before < oldest) asking.shift()?.answer();
}

function newFollower(): Follower {
  return { session: null, taken: 0, settled: null };
}
