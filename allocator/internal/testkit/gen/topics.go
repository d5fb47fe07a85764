// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

// topics are the features that a problem uses. There are few at a time, because
// in a problem with all features most devices would fit no request.
type topics struct {
	counters, groups, sharing, policies, taints, conditions  bool
	extreme, crowd                                           bool
	attributes, lists, derived, constraints                  bool
	selectors, failing, admin, all, alternatives             bool
	configuration, perDevice, generations, broken, skip, odd bool
}

func (d *draw) topics() {
	t, beta := &d.topic, d.config.Beta
	switch {
	case d.config.Hard:
		d.hardTopics()
		return
	case d.config.Affinity:
		d.affinityTopics()
		return
	}
	t.counters = d.chance("counters", 50)
	t.groups = t.counters && !beta && d.chance("groups", 35)
	t.sharing = d.chance("sharing", 40)
	t.policies = t.sharing && d.chance("policies", 60)
	t.extreme = d.chance("extreme amounts", 15)
	t.crowd = !d.config.Tiny && d.chance("crowd", 8)
	t.taints = d.chance("taints", 25)
	t.conditions = d.chance("binding conditions", 20)
	t.attributes = d.chance("attributes", 65)
	t.lists = t.attributes && !beta && d.chance("lists", 30)
	t.constraints = t.attributes && d.chance("constraints", 75)
	t.derived = t.constraints && !beta && d.chance("derived", 25)
	t.selectors = d.chance("selectors", 40)
	t.failing = t.selectors && !d.config.Tidy && d.chance("failing selectors", 20)
	t.admin = d.chance("admin", 20)
	t.all = d.chance("all", 25)
	t.alternatives = d.chance("alternatives", 45)
	t.configuration = d.chance("configuration", 25)
	t.perDevice = d.chance("per device node selection", 20)
	t.generations = !d.config.Tidy && d.chance("generations", 20)
	t.broken = !d.config.Tidy && d.chance("broken pools", 20)
	t.skip = !beta && d.chance("skip node operations", 10)
	t.odd = !d.config.Tidy && d.chance("odd state", 20)
}

// hardTopics selects topics that require backtracking.
func (d *draw) hardTopics() {
	t := &d.topic
	t.counters = d.chance("counters", 60)
	t.groups = t.counters && d.chance("groups", 25)
	t.sharing = d.chance("sharing", d.affine(30, 90))
	t.extreme = d.chance("extreme amounts", 10)
	t.attributes = d.chance("attributes", 70)
	t.lists = t.attributes && d.chance("lists", 40)
	t.constraints = t.attributes && d.chance("constraints", 80)
	t.derived = t.constraints && d.chance("derived", 15)
	t.selectors = t.attributes && d.chance("selectors", 40)
	t.failing = t.selectors && d.chance("failing selectors", 10)
	t.admin = d.chance("admin", 15)
	t.all = d.chance("all", 15)
	t.alternatives = d.chance("alternatives", 50)
	t.perDevice = d.chance("per device node selection", 10)
}
