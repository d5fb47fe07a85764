package lint

import (
	"math/big"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Whether some devices use up a counter exactly is the subset sum problem. Two proofs that none do are cheap: together
// all devices consume less than there is; or all consume multiples of an amount that does not divide what there is.

// counterID is one counter of a pool.
type counterID struct{ set, counter string }

// amounts is what devices that can be allocated consume of one counter.
type amounts struct {
	sum, divisor *big.Int
	// vague says that a number is out of reach of exact arithmetic, or negative.
	vague bool
}

func counterRemainder(p *pass) {
	for _, pool := range p.pools {
		if !pool.complete() {
			continue
		}
		consumed := pool.amounts()
		for at, set := range counterSetsOf(pool.slices) {
			for _, name := range sorted(set.Counters) {
				if a := consumed[counterID{set.Name, name}]; a != nil && !a.vague {
					p.remainder(at.child("counters").key(name), set.Counters[name].Value, a)
				}
			}
		}
	}
}

// amounts adds up what each counter is consumed of. Devices that consume more than there is are left out.
func (l *pool) amounts() map[counterID]*amounts {
	unreachable := sets.New[*resourceapi.Device]()
	for _, c := range l.consumed() {
		if c.exceeds() != "" {
			unreachable.Insert(c.device)
		}
	}
	all := map[counterID]*amounts{}
	for _, c := range l.consumed() {
		if unreachable.Has(c.device) {
			continue
		}
		for _, name := range sorted(c.Counters) {
			id := counterID{c.CounterSet, name}
			if all[id] == nil {
				all[id] = &amounts{sum: new(big.Int), divisor: new(big.Int)}
			}
			all[id].add(c.Counters[name].Value)
		}
	}
	return all
}

func (a *amounts) add(q resource.Quantity) {
	n, ok := nano(q)
	if !ok || n.Sign() < 0 {
		a.vague = true
		return
	}
	a.sum.Add(a.sum, n)
	a.divisor.GCD(nil, nil, a.divisor, n)
}

func (p *pass) remainder(at place, value resource.Quantity, a *amounts) {
	has, ok := nano(value)
	if !ok || a.sum.Sign() == 0 {
		return
	}
	if a.sum.Cmp(has) < 0 {
		p.report(at, "all devices together consume %s of %s: %s are always left",
			quantity(a.sum, value), &value, quantity(new(big.Int).Sub(has, a.sum), value))
		return
	}
	if rest := new(big.Int).Rem(has, a.divisor); rest.Sign() != 0 {
		p.report(at, "devices consume multiples of %s, which does not divide %s: at least %s are always left",
			quantity(a.divisor, value), &value, quantity(rest, value))
	}
}

// quantity returns a number of 10^-9 the way another quantity is written.
func quantity(n *big.Int, like resource.Quantity) string {
	q := resource.Quantity{Format: like.Format}
	dec := q.AsDec()
	dec.SetUnscaledBig(n)
	dec.SetScale(9)
	return q.String()
}
