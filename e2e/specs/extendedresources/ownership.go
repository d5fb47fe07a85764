// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import "time"

// ownership is how long a pod that cannot be bound has owned claims, and how long none.
//
// A right scheduler deletes the claim when an attempt to bind the pod has failed. A wrong
// one, which deletes it only when the next attempt begins, leaves times without a claim,
// too: the attempt that deletes it fails, and the pod waits for one more. Such a pod owns a
// claim for one waiting time, and none for the next, which is up to twice as long.
type ownership struct {
	// last is the time of the last observation, and initially of the pod's creation.
	last time.Time
	// observed states that there was an observation, and had whether there was a claim.
	observed, had bool
	// present is for how long there was a claim without interruption, the last time that
	// there was one, and absent for how long there has been none since. Absences are
	// counted.
	present, absent time.Duration
	absences        int
	// owned and without are the sums.
	owned, without time.Duration
}

// surelyLonger is how many times longer than a claim existed there must be none. It is more
// than the factor by which waiting times grow.
const surelyLonger = 3

// add adds an observation. The time since the one before counts for what that one saw. A
// claim that the first one sees may exist since the pod was created.
func (o *ownership) add(now time.Time, has bool) {
	since, began := now.Sub(o.last), has && !o.had
	if began {
		o.present = 0
	}
	if o.had || began && !o.observed {
		o.present += since
		o.owned += since
	} else if o.observed {
		o.absent += since
		o.without += since
	}
	if !has && (o.had || !o.observed) {
		o.absent = 0
		o.absences++
	}
	o.last, o.had, o.observed = now, has, true
}

// ended reports whether the claims of failed attempts are deleted: for a while, and much
// longer than the last one existed, there has been none, or in several attempts the pod
// had none most of the time. If no claim was seen, it may have been there for that while.
func (o *ownership) ended(while time.Duration) bool {
	if o.had {
		return false
	}
	existed := o.present
	if o.owned == 0 {
		existed = while
	}
	return o.absent >= max(while, surelyLonger*existed) || o.absences >= 3 && o.without >= surelyLonger*o.owned
}
