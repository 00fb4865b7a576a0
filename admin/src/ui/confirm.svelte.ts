/** Questions that have to be answered before something goes on. */
export interface Question {
  title: string;
  hint?: string | undefined;
  /** What the button says that goes on. */
  action: string;
  isDangerous?: boolean;
  /** A word to be typed first, where much would be lost. */
  word?: string | undefined;
  /** Another way on, and the main one: whether it worked is the answer. */
  other?: { action: string; run: () => Promise<boolean> } | undefined;
}

interface Asked extends Question {
  answer: (isSure: boolean | Promise<boolean>) => void;
}

export const asked = $state<{ question: Asked | null }>({ question: null });

/** Whether somebody is sure. A question that is still open is answered no. */
export function confirmed(question: Question): Promise<boolean> {
  asked.question?.answer(false);
  return new Promise((resolve) => {
    const answer: Asked['answer'] = (isSure) => {
      asked.question = null;
      resolve(isSure);
    };
    asked.question = { ...question, answer };
  });
}
