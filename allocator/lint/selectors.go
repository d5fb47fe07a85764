// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/internal/rules"
)

// compiler compiles each expression once.
type compiler struct {
	features cel.Features
	done     map[string]cel.CompilationResult
}

// newCompiler returns a compiler for the language that the slices require. It differs if attributes are lists.
func newCompiler(list []*resourceapi.ResourceSlice) compiler {
	c := compiler{cel.Features{EnableConsumableCapacity: true}, map[string]cel.CompilationResult{}}
	for _, device := range devicesOf(list) {
		for _, attribute := range device.Attributes {
			c.features.EnableListTypeAttributes = c.features.EnableListTypeAttributes || rules.IsList(attribute)
		}
	}
	return c
}

func (c compiler) compile(expression string) cel.CompilationResult {
	result, ok := c.done[expression]
	if !ok {
		result = cel.GetCompiler(c.features).CompileCELExpression(expression, cel.Options{})
		c.done[expression] = result
	}
	return result
}

func selectorInvalid(p *pass) {
	for at, list := range p.selectors() {
		for i := range list {
			at := at.index(i).child("cel")
			if list[i].CEL == nil {
				p.report(at, "is missing, the only kind of selector there is")
				continue
			}
			at = at.child("expression")
			switch result := p.compiler.compile(list[i].CEL.Expression); {
			case result.Error != nil:
				p.report(at, "%s", withoutPicture(result.Error.Detail))
			case result.MaxCost > resourceapi.CELSelectorExpressionMaxCost:
				p.report(at, "costs up to %d, at most %d are allowed", result.MaxCost, resourceapi.CELSelectorExpressionMaxCost)
			}
		}
	}
}

// withoutPicture removes the lines of an error that point into the expression, which begin with a bar.
func withoutPicture(detail string) string {
	var kept []string
	for line := range strings.SplitSeq(detail, "\n") {
		if !strings.HasPrefix(line, " |") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "; ")
}

// verdict is the result of selectors for a device.
type verdict int

const (
	mismatch verdict = iota
	match
	failure
)

// judge evaluates selectors like the allocator, up to the first that does not match. at is the index of the
// selector that decided, and err is its error.
func (p *pass) judge(list []resourceapi.DeviceSelector, driver string, device *resourceapi.Device) (v verdict, at int, err error) {
	for i := range list {
		if list[i].CEL == nil {
			return mismatch, i, nil
		}
		selector := p.compiler.compile(list[i].CEL.Expression)
		if selector.Error != nil {
			return mismatch, i, nil //nolint:nilerr // Another rule reports it.
		}
		ok, err := rules.Selects(p.ctx, selector, rules.Device{Driver: driver, Device: device})
		if err != nil {
			return failure, i, err
		}
		if !ok {
			return mismatch, i, nil
		}
	}
	return match, 0, nil
}

// question is a list of selectors that applies to the devices that match the selectors in before.
type question struct {
	at     place
	before []resourceapi.DeviceSelector
	list   []resourceapi.DeviceSelector
}

func (p *pass) questions() []question {
	var all []question
	classes := map[string][]resourceapi.DeviceSelector{}
	for _, class := range p.objects.Classes {
		classes[class.Name] = class.Spec.Selectors
		all = append(all, question{place{class, spec.Child("selectors")}, nil, class.Spec.Selectors})
	}
	for at, r := range p.requests() {
		if before, known := classes[r.class]; known { // Without the class it is unknown to which devices the selectors apply.
			all = append(all, question{at.child("selectors"), before, r.selectors})
		}
	}
	return all
}

func selectorFails(p *pass) {
	for _, q := range p.questions() {
		evaluated, counts, first := 0, make([]int, len(q.list)), make([]string, len(q.list))
		for _, pool := range p.pools {
			for _, device := range devicesOf(pool.Slices) {
				if before, _, _ := p.judge(q.before, pool.Driver, device); before != match {
					continue
				}
				evaluated++
				verdict, i, err := p.judge(q.list, pool.Driver, device)
				if verdict != failure {
					continue
				}
				if counts[i]++; counts[i] == 1 {
					first[i] = fmt.Sprintf("%s/%s/%s: %s", pool.Driver, pool.Name, device.Name, err)
				}
			}
		}
		for i, n := range counts {
			if n > 0 {
				p.report(q.at.index(i).child("cel", "expression"), "fails on %d of %d devices, the first is %s", n, evaluated, first[i])
			}
		}
	}
}

func classMatchesNothing(p *pass) {
	for _, class := range p.objects.Classes {
		if total, open := p.matches(class.Spec.Selectors); total > 0 && !open {
			p.report(place{class, spec.Child("selectors")}, "match none of %d devices", total)
		}
	}
}

// matches returns the number of devices, and whether one of them matches or cannot be evaluated.
func (p *pass) matches(list []resourceapi.DeviceSelector) (total int, open bool) {
	for i := range list {
		if list[i].CEL == nil || p.compiler.compile(list[i].CEL.Expression).Error != nil {
			return 0, true
		}
	}
	for _, pool := range p.pools {
		for _, device := range devicesOf(pool.Slices) {
			total++
			if v, _, _ := p.judge(list, pool.Driver, device); v != mismatch {
				return total, true
			}
		}
	}
	return total, false
}
