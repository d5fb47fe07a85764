// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"context"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

const large = `device.attributes["gpu.example.com"].size > 1`

// answer formats the result of a selector for a device: yes, no or error.
func answer(ok bool, err error) string {
	switch {
	case err != nil:
		return "error"
	case ok:
		return "yes"
	}
	return "no"
}

func TestSelectorResults(t *testing.T) {
	shared := device(attributes{"size": number(1)})
	shared.AllowMultipleAllocations = ptr.To(true)
	for name, test := range map[string]struct {
		expression string
		device     resourceapi.Device
		want       string
	}{
		"true":                        {large, device(attributes{"size": number(2)}), "yes"},
		"false":                       {large, device(attributes{"size": number(1)}), "no"},
		"an attribute is missing":     {large, device(nil), "error"},
		"an attribute of other type":  {large, device(attributes{"size": text("2")}), "error"},
		"with its domain":             {large, device(attributes{"gpu.example.com/size": number(2)}), "yes"},
		"of another domain":           {large, device(attributes{"nic.example.com/size": number(2)}), "error"},
		"the driver":                  {`device.driver.startsWith("gpu")`, device(nil), "yes"},
		"shared devices":              {`device.allowMultipleAllocations`, shared, "yes"},
		"devices that are not shared": {`device.allowMultipleAllocations`, device(nil), "no"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := newMemo(false).Selector(test.expression)
			g.Expect(s.CompileError()).NotTo(HaveOccurred())
			devices := slice(t, driver, test.device)
			for range 2 { // The second result is cached.
				g.Expect(answer(s.Matches(context.Background(), devices, 0))).To(Equal(test.want))
			}
		})
	}
}

func TestResultsAreThoseOfEvaluatedDevicesOnly(t *testing.T) {
	g := NewWithT(t)
	list := make([]resourceapi.Device, 66)
	list[1], list[2], list[65] = device(attributes{"size": number(1)}), device(attributes{"size": number(2)}), device(attributes{"size": number(2)})
	devices := slice(t, driver, list...)
	s := newMemo(false).Selector(large)
	g.Expect(s.CompileError()).NotTo(HaveOccurred())
	results := s.Results(devices)
	word := func(w int) []uint64 {
		known, yes, failed := results.Word(w)
		return []uint64{known, yes, failed}
	}
	g.Expect(word(0)).To(Equal([]uint64{0, 0, 0}))
	for _, i := range []int{0, 1, 2, 65} {
		_, _ = s.Matches(context.Background(), devices, i)
	}
	g.Expect(word(0)).To(Equal([]uint64{0b111, 0b100, 0b001}))
	g.Expect(word(1)).To(Equal([]uint64{0b10, 0b10, 0}))
}

func TestErrorsKeepTheirText(t *testing.T) {
	g := NewWithT(t)
	s := newMemo(false).Selector(large)
	g.Expect(s.CompileError()).NotTo(HaveOccurred())
	devices := slice(t, driver, device(nil), device(attributes{"size": text("2")}))
	for range 2 {
		_, first := s.Matches(context.Background(), devices, 0)
		_, second := s.Matches(context.Background(), devices, 1)
		g.Expect(first).To(MatchError(ContainSubstring("no such key: size")))
		g.Expect(second).To(MatchError(ContainSubstring("no such overload")))
	}
}

func TestCompileErrorIsReported(t *testing.T) {
	for name, test := range map[string]struct{ expression, want string }{
		"syntax":  {`device.driver ==`, "Syntax error"},
		"type":    {`device.driver`, "must evaluate to bool"},
		"unknown": {`device.name == "x"`, "undefined field 'name'"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := newMemo(false).Selector(test.expression)
			for range 2 {
				g.Expect(s.CompileError()).To(MatchError(ContainSubstring(test.want)))
			}
		})
	}
}

// The selector that most classes have is evaluated without CEL. Other selectors must not be mistaken for it. If CEL
// cannot convert a device, it fails for every expression, so this selector must fail too.
func TestSelectorsThatCompareTheDriverOnly(t *testing.T) {
	broken := device(attributes{"version": version("not a version")})
	untyped := device(attributes{"nothing": {}})
	lists := device(attributes{"i": {IntValues: []int64{1}}, "b": {BoolValues: []bool{true}}, "s": {StringValues: []string{"x"}}, "v": {VersionValues: []string{"1.0.0"}}})
	brokenList := device(attributes{"versions": {VersionValues: []string{"not a version"}}})
	for name, test := range map[string]struct {
		expression string
		device     resourceapi.Device
		want       string
	}{
		"its driver":                       {`device.driver == "gpu.example.com"`, device(nil), "yes"},
		"another driver":                   {`device.driver == "nic.example.com"`, device(nil), "no"},
		"single quotes":                    {`device.driver == 'gpu.example.com'`, device(nil), "yes"},
		"single quotes, another":           {`device.driver == 'nic.example.com'`, device(nil), "no"},
		"spaces":                           {" device.driver==  \"gpu.example.com\"\n", device(nil), "yes"},
		"an empty name":                    {`device.driver == ""`, device(nil), "no"},
		"different":                        {`device.driver != "gpu.example.com"`, device(nil), "no"},
		"and more":                         {`device.driver == "gpu.example.com" && false`, device(nil), "no"},
		"or more":                          {`device.driver == "nic.example.com" || true`, device(nil), "yes"},
		"an escaped letter":                {`device.driver == "\u0067pu.example.com"`, device(nil), "yes"},
		"an invalid version":               {`device.driver == "gpu.example.com"`, broken, "error"},
		"lists":                            {`device.driver == "gpu.example.com"`, lists, "yes"},
		"an invalid version in a list":     {`device.driver == "gpu.example.com"`, brokenList, "error"},
		"an attribute without value":       {`device.driver == "gpu.example.com"`, untyped, "error"},
		"another, with an invalid version": {`device.driver == "nic.example.com"`, broken, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := newMemo(false).Selector(test.expression)
			g.Expect(s.CompileError()).NotTo(HaveOccurred())
			g.Expect(answer(s.Matches(context.Background(), slice(t, driver, test.device), 0))).To(Equal(test.want))
		})
	}
}

// CEL checks the context only occasionally, so the test needs an expression that loops to be interrupted.
func TestInterruptedEvaluationIsNotCached(t *testing.T) {
	g := NewWithT(t)
	const slow = `["a","b","c","d","e","f","g","h","i","j"].all(x, ["a","b","c","d","e","f","g","h","i","j"].all(y, ["a","b","c","d","e","f","g","h","i","j"].all(z, x != "" && y != "" && z != "")))`
	s := newMemo(false).Selector(slow)
	g.Expect(s.CompileError()).NotTo(HaveOccurred())
	devices := slice(t, driver, device(nil))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Matches(ctx, devices, 0)
	g.Expect(err).To(HaveOccurred(), "the evaluation was interrupted")
	known, _, _ := s.Results(devices).Word(0)
	g.Expect(known).To(BeZero())
	g.Expect(answer(s.Matches(context.Background(), devices, 0))).To(Equal("yes"))
	g.Expect(answer(s.Matches(ctx, devices, 0))).To(Equal("yes"), "cached results need no evaluation")
}

func TestMemoStoresEverythingOnce(t *testing.T) {
	g := NewWithT(t)
	m := newMemo(false)
	g.Expect(m.Len()).To(BeZero())
	g.Expect(m.Selector("true")).To(BeIdenticalTo(m.Selector("true")))
	g.Expect(m.Selector("true")).NotTo(BeIdenticalTo(m.Selector("false")))
	g.Expect(m.Derived("true")).To(BeIdenticalTo(m.Derived("true")))
	g.Expect(m.Attribute("a/b")).To(BeIdenticalTo(m.Attribute("a/b")))
	g.Expect(m.Attribute("a/b")).NotTo(BeIdenticalTo(m.Attribute("a/c")))
	g.Expect(m.Len()).To(Equal(5), "two selectors, one derived attribute, two attributes")
	m.Attribute("gpu.example.com/size").Values(slice(t, driver, device(attributes{"size": number(1)}), device(attributes{"size": number(1)})))
	g.Expect(m.Len()).To(Equal(7), "one more attribute, and its one value")
	m.Requirement(requests("memory", "1Gi"), false)
	g.Expect(m.Len()).To(Equal(8), "a requirement")
}

// Each slice has separate results, and so does each memo for the same slice.
func TestResultsArePerSliceAndMemo(t *testing.T) {
	g := NewWithT(t)
	m := newMemo(false)
	one, two := slice(t, driver, device(attributes{"size": number(1)})), slice(t, driver, device(attributes{"size": number(2)}))
	s := m.Selector(large)
	g.Expect(s.CompileError()).NotTo(HaveOccurred())
	g.Expect(answer(s.Matches(context.Background(), one, 0))).To(Equal("no"))
	g.Expect(answer(s.Matches(context.Background(), two, 0))).To(Equal("yes"))
	known, _, _ := newMemo(false).Selector(large).Results(two).Word(0)
	g.Expect(known).To(BeZero())
}

func TestSelectorsAreSafeForConcurrentUse(t *testing.T) {
	g := NewWithT(t)
	list := make([]resourceapi.Device, 128)
	for i := range list {
		list[i] = device(attributes{"size": number(int64(i % 3))})
	}
	devices, m := slice(t, driver, list...), newMemo(false)
	got := make([][]string, 8)
	var wait sync.WaitGroup
	for n := range got {
		wait.Go(func() {
			s := m.Selector(large)
			if s.CompileError() != nil {
				return
			}
			for i := range list {
				got[n] = append(got[n], answer(s.Matches(context.Background(), devices, i)))
			}
		})
	}
	wait.Wait()
	for n := range got {
		g.Expect(got[n]).To(HaveLen(len(list)))
		for i, a := range got[n] {
			want := "no"
			if i%3 == 2 {
				want = "yes"
			}
			g.Expect(a).To(Equal(want), "device %d", i)
		}
	}
}
