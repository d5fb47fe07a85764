// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"math/big"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/internal/rules"
)

// Whether some devices consume a counter exactly is the subset sum problem. There are two cheap proofs that none do:
// all devices together consume less than the counter has, or all consume multiples of an amount that does not divide
// its value.

// counterID is one counter of a pool.
type counterID struct{ set, counter string }

// amounts summarizes how much of one counter the allocatable devices consume.
type amounts struct {
	sum, divisor *big.Int
	// vague is set if a number is negative or out of range for exact arithmetic.
	vague bool
}

func counterRemainder(p *pass) {
	for _, pool := range p.pools {
		if pool.Missing() != 0 {
			continue
		}
		consumed := amountsOf(pool)
		for at, set := range counterSetsOf(pool.Slices) {
			for _, name := range sorted(set.Counters) {
				if a := consumed[counterID{set.Name, name}]; a != nil && !a.vague {
					p.remainder(at.child("counters").key(name), set.Counters[name].Value, a)
				}
			}
		}
	}
}

// amounts adds up the consumption of each counter. It skips devices that consume more than a counter has.
func amountsOf(l *rules.Pool) map[counterID]*amounts {
	unreachable := sets.New[*resourceapi.Device]()
	for _, c := range consumptionsOf(l) {
		if c.exceeds() != "" {
			unreachable.Insert(c.device)
		}
	}
	all := map[counterID]*amounts{}
	for _, c := range consumptionsOf(l) {
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

// quantity converts a number of units of 10^-9 to a string in the format of another quantity.
func quantity(n *big.Int, like resource.Quantity) string {
	q := resource.Quantity{Format: like.Format}
	dec := q.AsDec()
	dec.SetUnscaledBig(n)
	dec.SetScale(9)
	return q.String()
}

// maxShift bounds the number of digits that nano adds to a quantity.
const maxShift = 100

// nano returns a quantity in units of 10^-9, which is the precision of the API. It returns false if the quantity
// is out of range.
func nano(q resource.Quantity) (*big.Int, bool) {
	c := q.DeepCopy()
	dec := c.AsDec() // Changes the copy.
	shift := 9 - int64(dec.Scale())
	if shift < 0 || shift > maxShift {
		return nil, false
	}
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), nil)
	return factor.Mul(factor, dec.UnscaledBig()), true
}
