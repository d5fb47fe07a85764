// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/e2e/features"
)

func (v *validator) roles() {
	roles := v.driver.Roles
	if e := roles.Exclusive; e != nil {
		v.device("roles.exclusive.device", e.Device)
		v.parents("roles.exclusive.parents", e.Parents)
		if e.Configured != nil {
			v.config("roles.exclusive.configured.config", e.Configured.Config)
			v.seen("roles.exclusive.configured.seen", e.Configured.Seen)
		}
		for i, feature := range e.Features {
			v.feature(indexed("roles.exclusive.features", i), feature)
		}
	}
	if p := roles.Partitions; p != nil {
		v.partitions("roles.partitions", p)
	}
	if s := roles.Shared; s != nil {
		v.shared("roles.shared", s)
	}
	if m := roles.MultiHost; m != nil {
		v.device("roles.multiHost.pair", m.Pair)
		if m.Quad != nil {
			v.device("roles.multiHost.quad", *m.Quad)
		}
		if m.Part != nil {
			v.part("roles.multiHost.part", m.Part)
		}
		if m.Withdrawn != nil {
			v.nodeLabel("roles.multiHost.withdrawn", *m.Withdrawn)
		}
	}
}

func (v *validator) nodeLabel(path string, label NodeLabel) {
	if key, ok := v.expand(path+".key", label.Key); ok {
		v.is(path+".key", key, validation.IsQualifiedName(key))
	}
	v.is(path+".value", label.Value, validation.IsValidLabelValue(label.Value))
}

func (v *validator) partitions(path string, p *Partitions) {
	v.parents(path+".parents", p.Parents)
	if p.Profile != "" {
		v.qualifiedName(path+".profile", p.Profile)
	}
	v.device(path+".small", p.Small)
	if p.Big != nil {
		v.device(path+".big", *p.Big)
	}
	if n := len(p.Mix); p.Mix != nil && n < 2 {
		v.problem(path+".mix", "has %d partitions, at least 2 are needed", n)
	}
	if p.Full != nil && len(p.Full) == 0 {
		v.problem(path+".full", "must not be empty")
	}
	for i := range p.Mix {
		v.device(indexed(path+".mix", i), p.Mix[i])
	}
	for i := range p.Full {
		v.device(indexed(path+".full", i), p.Full[i])
	}
}

func (v *validator) shared(path string, s *Shared) {
	v.device(path+".share", s.Share)
	if s.Identity != "" {
		v.qualifiedName(path+".identity", s.Identity)
	}
	if s.Apart == nil {
		return
	}
	path += ".apart"
	for i, key := range s.Apart.Keys {
		v.qualifiedName(indexed(path+".keys", i), key)
	}
	v.config(path+".one", s.Apart.One)
	v.config(path+".other", s.Apart.Other)
	if s.Apart.Contradicts != nil {
		v.config(path+".contradicts", *s.Apart.Contradicts)
	}
}

func (v *validator) parents(path string, p *Parents) {
	if p != nil {
		v.qualifiedName(path+".attribute", p.Attribute)
		v.device(path+".whole", p.Whole)
	}
}

func (v *validator) feature(path string, feature features.Feature) {
	if all := features.All(); !slices.Contains(all, feature) {
		v.problem(path, "%q is not known, use one of %s", feature, joined(all))
	}
}

func (v *validator) device(path string, d Device) {
	switch {
	case d.Class != "" && d.InlineClass != nil:
		v.problem(path, "has both class and inlineClass, use one of them")
	case d.InlineClass != nil:
		v.inlineClass(path+".inlineClass", d.InlineClass)
	case d.Class == "":
		v.problem(path, "needs class, the name of a DeviceClass, or inlineClass")
	default:
		if class, ok := v.expand(path+".class", d.Class); ok {
			v.objectName(path+".class", class)
		}
	}
	v.selectors(path+".selectors", d.Selectors)
	for _, name := range slices.Sorted(maps.Keys(d.Capacity)) {
		at := path + ".capacity[" + name + "]"
		v.qualifiedName(at, name)
		if amount := d.Capacity[name]; amount.Sign() <= 0 {
			v.problem(at, "must be more than 0, not %s", amount.String())
		}
	}
	if d.Count < 0 || d.Count > resourceapi.AllocationResultsMaxSize {
		v.problem(path+".count", "must be from 1 to %d, not %d", resourceapi.AllocationResultsMaxSize, d.Count)
	}
	v.configs(path+".config", d.Config)
}

func (v *validator) inlineClass(path string, c *InlineClass) {
	if len(c.Selectors) == 0 {
		v.problem(path+".selectors", "must not be empty: the class would have the devices of all drivers")
	}
	v.selectors(path+".selectors", c.Selectors)
	v.configs(path+".config", c.Config)
}

// selectors validates CEL expressions. All features of the language are
// enabled, because the cluster is not known.
func (v *validator) selectors(path string, selectors []string) {
	if len(selectors) > resourceapi.DeviceSelectorsMaxSize {
		v.problem(path, "has %d selectors, at most %d are possible", len(selectors), resourceapi.DeviceSelectorsMaxSize)
	}
	language := cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}
	for i, selector := range selectors {
		at := indexed(path, i)
		expression, ok := v.expand(at, selector)
		if !ok {
			continue
		}
		if len(expression) > resourceapi.CELSelectorExpressionMaxLength {
			v.problem(at, "has %d bytes, at most %d are possible", len(expression), resourceapi.CELSelectorExpressionMaxLength)
			continue
		}
		// The error has a pointer type, whose nil is not a nil error.
		if err := cel.GetCompiler(language).CompileCELExpression(expression, cel.Options{}).Error; err != nil {
			reason, _, _ := strings.Cut(err.Detail, "\n") // Further lines repeat the expression.
			v.problem(at, "%s", reason)
		}
	}
}

func (v *validator) configs(path string, configs []Config) {
	for i, c := range configs {
		v.config(indexed(path, i), c)
	}
}

func (v *validator) config(path string, c Config) {
	if c.Driver != "" {
		if driver, ok := v.expand(path+".driver", c.Driver); ok {
			v.name(path+".driver", driver)
		}
	}
	switch raw := c.Parameters.Raw; {
	case !bytes.HasPrefix(raw, []byte("{")):
		v.problem(path+".parameters", "must be an object")
	case len(raw) > resourceapi.OpaqueParametersMaxLength:
		v.problem(path+".parameters", "has %d bytes, at most %d are possible", len(raw), resourceapi.OpaqueParametersMaxLength)
	}
}

// qualifiedName validates the name of an attribute or of a capacity, with or
// without a domain.
func (v *validator) qualifiedName(path, name string) {
	expanded, ok := v.expand(path, name)
	if !ok {
		return
	}
	domain, id, qualified := strings.Cut(expanded, "/")
	if !qualified {
		domain, id = "", expanded
	}
	switch {
	case qualified && (len(domain) > resourceapi.DeviceMaxDomainLength || len(validation.IsDNS1123Subdomain(domain)) > 0):
		v.problem(path, "%q is not valid: %q should be a domain of at most %d characters", expanded, domain, resourceapi.DeviceMaxDomainLength)
	case len(id) > resourceapi.DeviceMaxIDLength || len(validation.IsCIdentifier(id)) > 0:
		v.problem(path, "%q is not valid: %q should be an identifier of at most %d characters", expanded, id, resourceapi.DeviceMaxIDLength)
	}
}

// indexed returns the path of an element of a list.
func indexed(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// joined joins names for a message.
func joined[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}
