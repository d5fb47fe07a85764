package env

// Component is the component that a spec judges.
type Component string

// The components that specs judge.
const (
	Driver    Component = "driver"
	Kubelet   Component = "kubelet"
	Scheduler Component = "scheduler"
	Cluster   Component = "cluster"
)
