package partitioning

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

var sliceFieldsAreKept = suite.Spec{
	ID:          "slice-fields-are-kept",
	Description: "The API server stores counter sets, consumed counters, and the node selection of devices.",
	Profile:     profile,
	Smoke:       true,
	Features:    partitionFeatures,
	Component:   env.Cluster,
	Since:       "1.35",
	Requirements: []string{
		"4815-fields-kept",
		"4815-references-unchecked-at-admission",
	},
	Body: func(ctx context.Context, e *env.Env) {
		var wanted []resourceapi.ResourceSliceSpec
		load("stored-slices", &wanted)
		for i, want := range wanted {
			got := expectAccepted(ctx, e, fmt.Sprintf("slice %d of stored-slices.yaml", i), want)
			want.Driver, want.Pool = got.Driver, got.Pool
			gomega.Expect(equality.Semantic.DeepEqual(got, want)).To(gomega.BeTrue(), "the API server should store all fields of\n%v\nand would store\n%v", want, got)
		}
	},
}
