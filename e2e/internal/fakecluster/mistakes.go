// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

// Mistakes are the faults of a fake cluster. Each is a fault of one component.
type Mistakes struct {
	SchedulerMistakes
	PrioritizedListMistakes
	KubeletMistakes
	ContainerMistakes
	DriverMistakes
	PluginMistakes
	APIServerMistakes
	ControllerMistakes
	MetricsMistakes
}

// ComponentMistakes are the faults of one component, such as [KubeletMistakes].
type ComponentMistakes interface {
	// addTo sets the faults of the component.
	addTo(*Mistakes)
}

// MistakesOf returns the faults of several components. A later argument replaces the faults
// of the same component.
func MistakesOf(components ...ComponentMistakes) Mistakes {
	var all Mistakes
	for _, component := range components {
		component.addTo(&all)
	}
	return all
}

// MetricsMistakes are the faults of the metrics of the scheduler and of the controllers.
type MetricsMistakes struct {
	// Mismeasures changes the metrics of a component.
	Mismeasures func(text string) string
}

func (m MetricsMistakes) addTo(all *Mistakes) { all.MetricsMistakes = m }
