package specs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// tried is an object that the API server must store completely, unless Refused
// or Drops is set.
type tried struct {
	// Name describes the object.
	Name string
	// Claim is spec.devices of a ResourceClaim, Template is spec.spec.devices
	// of a ResourceClaimTemplate, and Slice is spec.devices of a ResourceSlice.
	// One of them is set.
	Claim    map[string]any
	Template map[string]any
	Slice    []any
	// Refused is the field in the validation error, or one of its parents.
	Refused string
	// Drops is a text that the stored object must not contain.
	Drops string
}

// tryAll asserts how the API server handles each object of a file. It reports
// all problems at once.
func tryAll(ctx context.Context, e *env.Env, file string) {
	ginkgo.GinkgoHelper()
	var problems []string
	for _, object := range rows[tried](file) {
		if problem := object.try(ctx, e); problem != "" {
			problems = append(problems, object.Name+": "+problem)
		}
	}
	// Gomega truncates long lists.
	if len(problems) > 0 {
		ginkgo.Fail("the API server should take, refuse and drop what it is given as the API says:\n" + strings.Join(problems, "\n"))
	}
}

// try returns what is wrong with the API server's handling of an object, or an
// empty string.
func (t tried) try(ctx context.Context, e *env.Env) string {
	ginkgo.By("trying " + t.Name)
	kind, spec := "ResourceClaim", map[string]any{"devices": t.Claim}
	if t.Template != nil {
		kind, spec = "ResourceClaimTemplate", map[string]any{"spec": map[string]any{"devices": t.Template}}
	}
	if t.Slice != nil {
		kind, spec = "ResourceSlice", map[string]any{
			"driver": "try.draconform.dev", "nodeName": "try", "devices": t.Slice,
			"pool": map[string]any{"name": "try", "generation": float64(1), "resourceSliceCount": float64(1)},
		}
	}
	stored, err := env.DryRunCreate(ctx, e, kind, spec)
	switch {
	case t.Refused != "" && err == nil:
		return fmt.Sprintf("is taken, and should be refused because of %s", t.Refused)
	case t.Refused != "" && !slices.ContainsFunc(fields(err), func(field string) bool { return strings.HasPrefix(field, t.Refused) }):
		return fmt.Sprintf("should be refused because of %s: %v", t.Refused, err)
	case t.Refused != "":
		return ""
	case err != nil:
		return fmt.Sprintf("should be taken: %v", err)
	}
	written, err := json.Marshal(stored["spec"])
	switch {
	case err != nil:
		return err.Error()
	case t.Drops != "" && strings.Contains(string(written), t.Drops):
		return fmt.Sprintf("%s should be dropped: %s", t.Drops, written)
	case t.Drops == "":
		return missing("spec", spec, stored["spec"])
	}
	return ""
}

// fields returns the fields of a validation error of the API server.
func fields(err error) []string {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		return nil
	}
	var all []string
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type != metav1.CauseTypeUnexpectedServerResponse {
			all = append(all, cause.Field)
		}
	}
	return all
}

// missing returns a description of the first part of an object that is not
// stored as written, or an empty string. The stored object may contain
// additional fields, such as defaults.
func missing(path string, written, stored any) string {
	switch written := written.(type) {
	case map[string]any:
		there, _ := stored.(map[string]any)
		for name, value := range written {
			if problem := missing(path+"."+name, value, there[name]); problem != "" {
				return problem
			}
		}
		return ""
	case []any:
		there, _ := stored.([]any)
		if len(there) != len(written) {
			return fmt.Sprintf("%s should have %d items, and has %d", path, len(written), len(there))
		}
		for i, value := range written {
			if problem := missing(fmt.Sprintf("%s[%d]", path, i), value, there[i]); problem != "" {
				return problem
			}
		}
		return ""
	}
	if fmt.Sprint(written) != fmt.Sprint(stored) {
		return fmt.Sprintf("%s should be %v, and is %v", path, written, stored)
	}
	return ""
}
