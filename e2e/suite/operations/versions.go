package operations

import (
	"context"
	"time"
)

// DriverVersion is a version of a fake driver, and how its pods replace those
// of the previous version.
type DriverVersion struct {
	// Older is the previous version. It stores the prepared claims in an older
	// format.
	Older bool
	// Overlap allows a second pod of the driver on the node during an update.
	// It is how long the old pod continues to run next to the new one. Zero
	// means that the driver does not support a second pod.
	Overlap time.Duration
	// Surge starts the new pod before the old one ends. It requires Overlap in
	// both versions.
	Surge bool
}

// Versions changes the version of drivers.
type Versions interface {
	// Change starts to replace a driver's pods, one node after the other. It
	// does not wait for the new pods.
	Change(ctx context.Context, driver string, to DriverVersion) error
	// Changed waits until all pods have been replaced.
	Changed(ctx context.Context, driver string) error
	// Running returns the number of a driver's running pods on a node.
	Running(ctx context.Context, driver, node string) (int, error)
}
