package lint

import (
	"math/big"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

func requestPolicy(p *pass) {
	for at, device := range p.devices() {
		for _, name := range sorted(device.Capacity) {
			capacity := device.Capacity[name]
			if capacity.RequestPolicy == nil {
				continue
			}
			at := at.child("capacity").key(string(name)).child("requestPolicy")
			if !ptr.Deref(device.AllowMultipleAllocations, false) {
				p.report(at, "is not allowed on a device without allowMultipleAllocations")
			}
			p.policy(at, capacity.RequestPolicy, capacity.Value)
		}
	}
}

func (p *pass) policy(at place, policy *resourceapi.CapacityRequestPolicy, value resource.Quantity) {
	if len(policy.ValidValues) > 0 && policy.ValidRange != nil {
		p.report(at, "has validValues and validRange, only one of them is allowed")
		return
	}
	if policy.Default == nil && (len(policy.ValidValues) > 0 || policy.ValidRange != nil) {
		p.report(at.child("default"), "is missing, validValues and validRange need it")
		return
	}
	if len(policy.ValidValues) > 0 {
		p.validValues(at, policy, value)
	}
	if policy.ValidRange != nil {
		p.validRange(at.child("validRange"), policy, value)
	}
}

func (p *pass) validValues(at place, policy *resourceapi.CapacityRequestPolicy, value resource.Quantity) {
	list, member := policy.ValidValues, false
	for i := range list {
		element := at.child("validValues").index(i)
		if list[i].Cmp(value) > 0 {
			p.report(element, "is %s, above the capacity of %s", &list[i], &value)
		}
		if i > 0 && list[i].Cmp(list[i-1]) <= 0 {
			p.report(element, "is %s after %s, values must ascend", &list[i], &list[i-1])
		}
		member = member || list[i].Cmp(*policy.Default) == 0
	}
	if !member {
		p.report(at.child("default"), "is %s, which is none of the validValues", policy.Default)
	}
}

func (p *pass) validRange(at place, policy *resourceapi.CapacityRequestPolicy, value resource.Quantity) {
	r := policy.ValidRange
	if r.Min == nil {
		p.report(at.child("min"), "is missing")
		return
	}
	for _, pair := range []struct {
		field, low, high string
		a, b             *resource.Quantity
	}{
		{"min", "min", "the capacity", r.Min, &value},
		{"min", "min", "max", r.Min, r.Max},
		{"max", "max", "the capacity", r.Max, &value},
		{"min", "min", "the default", r.Min, policy.Default},
		{"max", "the default", "max", policy.Default, r.Max},
	} {
		if pair.a != nil && pair.b != nil && pair.a.Cmp(*pair.b) > 0 {
			p.report(at.child(pair.field), "%s is %s, above %s of %s", pair.low, pair.a, pair.high, pair.b)
		}
	}
	if r.Step != nil {
		p.step(at.child("step"), policy, value)
	}
}

func (p *pass) step(at place, policy *resourceapi.CapacityRequestPolicy, value resource.Quantity) {
	r := policy.ValidRange
	if r.Step.Sign() <= 0 {
		p.report(at, "is %s, must be above 0", r.Step)
		return
	}
	next := r.Min.DeepCopy()
	if next.Add(*r.Step); next.Cmp(value) > 0 {
		p.report(at, "one step from min is %s, above the capacity of %s", &next, &value)
	}
	if off(policy.Default, r) {
		p.report(at, "the default of %s is not a multiple of %s from min %s", policy.Default, r.Step, r.Min)
	}
	if r.Max != nil && off(r.Max, r) {
		p.report(at, "max of %s is not a multiple of %s from min %s", r.Max, r.Step, r.Min)
	}
}

// off reports whether the difference between a quantity and the minimum is not a whole number of steps.
func off(q *resource.Quantity, r *resourceapi.CapacityRequestPolicyRange) bool {
	from, okFrom := nano(*r.Min)
	step, okStep := nano(*r.Step)
	at, okAt := nano(*q)
	if !okFrom || !okStep || !okAt || step.Sign() == 0 {
		return false
	}
	return new(big.Int).Rem(at.Sub(at, from), step).Sign() != 0
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
