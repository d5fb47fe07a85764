// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dryrun asserts what an API server accepts, rejects and drops, without
// creating objects.
package dryrun

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
)

// object is an object that the API server must store completely, unless
// Rejected or Drops is set.
type object struct {
	// Name describes the object.
	Name string
	// Claim is spec.devices of a ResourceClaim, Template is spec.spec.devices
	// of a ResourceClaimTemplate, Slice is spec.devices of a ResourceSlice, Class
	// is spec of a DeviceClass, and Rule that of a DeviceTaintRule. One of them is
	// set.
	Claim    map[string]any
	Template map[string]any
	Slice    []any
	Class    map[string]any
	Rule     map[string]any
	// SliceFields are more fields of spec of the ResourceSlice.
	SliceFields map[string]any
	// Rejected is the field in the validation error, or one of its parents.
	Rejected string
	// Drops is a text that the stored object must not contain. With Rejected, the
	// API server may do either.
	Drops string
}

// noNode selects no node. An API server may look for a node with a name, and
// reject devices that it does not support.
var noNode = map[string]any{"nodeSelectorTerms": []any{map[string]any{
	"matchExpressions": []any{map[string]any{"key": "try.draconform.dev/none", "operator": "Exists"}},
}}}

// ExpectAll asserts how the API server handles each object of a file. It
// reports all problems at once.
func ExpectAll(ctx context.Context, e *env.Env, files embed.FS, file string) {
	ginkgo.GinkgoHelper()
	var problems []string
	for _, object := range fixture.ReadList[object](files, file) {
		if problem := object.check(ctx, e); problem != "" {
			problems = append(problems, object.Name+": "+problem)
		}
	}
	// Gomega truncates long lists.
	if len(problems) > 0 {
		ginkgo.Fail("the API server should accept, reject and drop fields as specified:\n" + strings.Join(problems, "\n"))
	}
}

// check returns what is wrong with the API server's handling of an object, or
// an empty string.
func (o object) check(ctx context.Context, e *env.Env) string {
	ginkgo.By("creating as a dry run: " + o.Name)
	kind, spec := "ResourceClaim", map[string]any{"devices": o.Claim}
	if o.Template != nil {
		kind, spec = "ResourceClaimTemplate", map[string]any{"spec": map[string]any{"devices": o.Template}}
	}
	if o.Slice != nil {
		kind, spec = "ResourceSlice", map[string]any{
			"driver": "try.draconform.dev", "nodeSelector": noNode, "devices": o.Slice,
			"pool": map[string]any{"name": "try", "generation": float64(1), "resourceSliceCount": float64(1)},
		}
		maps.Copy(spec, o.SliceFields)
	}
	if o.Class != nil {
		kind, spec = "DeviceClass", o.Class
	}
	create := env.DryRunCreate
	if o.Rule != nil {
		kind, spec, create = "DeviceTaintRule", o.Rule, createRule
	}
	stored, err := create(ctx, e, kind, spec)
	switch {
	case o.Rejected != "" && o.Drops == "" && err == nil:
		return fmt.Sprintf("is accepted, and should be rejected because of %s", o.Rejected)
	case o.Rejected != "" && err != nil && !slices.ContainsFunc(InvalidFields(err), func(field string) bool { return strings.HasPrefix(field, o.Rejected) }):
		return fmt.Sprintf("should be rejected because of %s: %v", o.Rejected, err)
	case o.Rejected != "" && err != nil:
		return ""
	case err != nil:
		return fmt.Sprintf("should be accepted: %v", err)
	}
	written, err := json.Marshal(stored["spec"])
	switch {
	case err != nil:
		return err.Error()
	case o.Drops != "" && strings.Contains(string(written), o.Drops):
		return fmt.Sprintf("%s should be dropped: %s", o.Drops, written)
	case o.Drops == "":
		return Missing("spec", spec, stored["spec"])
	}
	return ""
}
