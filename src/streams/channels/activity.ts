/** How many throttles have something to do, which tells when the streams are quiet. */
export class Activity {
  count = 0;
}
