// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongPartitions are clusters that miscount the types of partitions, or lose them.
var wrongPartitions = wrong.Table{
	"types of partitions are not counted": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { p.PartitionSummary = nil }), Spec: "pool-status-counts-partitions",
		Want: []string{"no partition is allocated", "types:}"},
	},
	"allocated partitions can be allocated": {
		Options: miscountsTypes(func(t *resourcev1alpha3.PartitionTypeStatus) { t.Allocatable = t.Total }), Spec: "pool-status-counts-partitions",
		Want: []string{"a quarter of the GPU is allocated", "4 of 4 profile-quarter", "1 of 1 profile-whole"},
	},
	"counters do not limit partitions": {
		Options: miscountsTypes(func(t *resourcev1alpha3.PartitionTypeStatus) {
			if !strings.HasSuffix(t.Type, "quarter") {
				t.Allocatable = t.Total
			}
		}), Spec: "pool-status-counts-partitions",
		Want: []string{"a quarter of the GPU is allocated", "2 of 2 profile-half", "3 of 4 profile-quarter"},
	},
	"released partitions stay used": {
		Options: miscountsTypes(func() func(*resourcev1alpha3.PartitionTypeStatus) {
			least := map[string]int32{}
			return func(t *resourcev1alpha3.PartitionTypeStatus) {
				if n, ok := least[t.Type]; ok {
					*t.Allocatable = min(*t.Allocatable, n)
				}
				least[t.Type] = *t.Allocatable
			}
		}()), Spec: "pool-status-counts-partitions",
		Want: []string{"the partition was released", "1 of 2 profile-half"},
	},
	"types count only allocatable partitions": {
		Options: miscountsTypes(func(t *resourcev1alpha3.PartitionTypeStatus) { t.Total = t.Allocatable }), Spec: "pool-status-counts-partitions",
		Want: []string{"a quarter of the GPU is allocated", "1 of 1 profile-half"},
	},
	"the attribute of a request is ignored": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			for i := range r.Status.Pools {
				if p := &r.Status.Pools[i]; p.PoolName == "plain" {
					p.PartitionSummary = nil
				}
			}
		}), Spec: "pool-status-takes-types-from-request",
		Want: []string{"the request names an attribute", "types:}"},
	},
	"the attribute of a request replaces that of a pool": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			if r.Spec.DefaultPartitionTypeAttribute == nil || len(r.Status.Pools) != 2 {
				return
			}
			r.Status.Pools[0].PartitionSummary = r.Status.Pools[1].PartitionSummary
		}), Spec: "pool-status-takes-types-from-request",
		Want: []string{"the request names an attribute", "name:own", "2 of 2 size-half"},
	},
	"API server accepts any attribute with the type of partitions": {
		Spec: "partition-type-is-validated",
		Want: []string{
			"a name without a domain: is accepted, and should be rejected because of spec.partitionTypeAttribute", "no partitions: is accepted",
			"a partition without the attribute: is accepted", "a partition with the attribute of another domain: is accepted", "an attribute that is a number: is accepted",
		},
	},
	"API server loses the attribute with the type of partitions": {
		Options: wrong.With(fakecluster.APIServerMistakes{Misstores: func(object map[string]any) { delete(object["spec"].(map[string]any), "partitionTypeAttribute") }}),
		Spec:    "partition-type-is-validated",
		Want:    []string{"an attribute with its domain: spec.partitionTypeAttribute should be try.draconform.dev/profile, and is <nil>"},
	},
	"API server keeps the attribute of a disabled feature": {
		Target: wrong.WithoutFeature(features.PartitionTypes), Spec: "partition-type-is-dropped",
		Want: []string{"a slice that states the attribute: partitionTypeAttribute should be dropped"},
	},
}

// miscountsTypes returns the options of a cluster that changes the numbers of each
// type of partitions.
func miscountsTypes(change func(*resourcev1alpha3.PartitionTypeStatus)) fakecluster.Options {
	return miscountsPools(func(p *resourcev1alpha3.PoolStatus) {
		for i := range p.PartitionSummary {
			change(&p.PartitionSummary[i])
		}
	})
}
